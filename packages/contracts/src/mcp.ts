import * as z from 'zod';
import { McpAlias, McpCommand, McpHeaderName, McpHeaderValue, McpImage, McpProtocol, McpUrl } from './mcp-config.js';
import { SpaceName } from './space-name.js';
import { ToolAnnotations } from './tools.js';

export const McpServerState = z.enum(['connecting', 'connected', 'waiting', 'unauthorized', 'closed']);
export type McpServerState = z.infer<typeof McpServerState>;

/** A server as the asked process sees it. Every word of it that comes from the server is data. */
export const McpServerStatus = z
  .object({
    alias: z.string(),
    kind: z.enum(['http', 'stdio']),
    /** Its URL without user, password and query, or its command's first word. */
    where: z.string(),
    source: z.enum(['configuration', 'saved', 'session']),
    state: McpServerState,
    /** Why it is not connected, and what to do. */
    detail: z.string().nullable(),
    /** Where a person authorizes aish, when that is what it waits for. */
    authorizeUrl: z.string().nullable(),
    serverName: z.string().nullable(),
    serverVersion: z.string().nullable(),
    protocolVersion: z.string().nullable(),
    transport: z.enum(['streamable', 'sse', 'stdio']).nullable(),
    /** The space whose network and secrets it has, and whose goals and chats have its tools. */
    space: z.string().nullable().default(null),
    trusted: z.boolean(),
    tools: z.int(),
    /** Tools that were left out, and why. */
    leftOut: z.array(z.string()),
    /** What it logged last, newest last. */
    logLines: z.array(z.string()),
    nextTryAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'McpServerStatus' });
export type McpServerStatus = z.infer<typeof McpServerStatus>;

/** How many tools a new session's requests would not describe, for the model of the first preset. */
export const HiddenTools = z
  .object({
    hidden: z.int(),
    tools: z.int(),
    preset: z.string(),
    contextTokens: z.int(),
    /** `TOOL_SHARE` */
    share: z.number(),
  })
  .meta({ id: 'HiddenTools' });
export type HiddenTools = z.infer<typeof HiddenTools>;

export const McpServerList = z
  .object({ items: z.array(McpServerStatus), hiddenTools: HiddenTools.nullable().default(null) })
  .meta({ id: 'McpServerList' });
export type McpServerList = z.infer<typeof McpServerList>;

export const ConnectMcpServer = z
  .strictObject({
    url: McpUrl,
    /** Made from the URL's host when absent. */
    alias: McpAlias.optional(),
    /** Whether it is kept for good; otherwise for a day. */
    save: z.boolean().default(false),
    protocol: McpProtocol.default('auto'),
    transport: z.enum(['auto', 'streamable', 'sse']).default('auto'),
    headers: z.record(McpHeaderName, McpHeaderValue).default({}),
    bearerToken: McpHeaderValue.min(1).optional(),
    /** Whether aish may ask a person to authorize it (OAuth) when the server wants that. */
    oauth: z.boolean().default(false),
  })
  .meta({ id: 'ConnectMcpServer' });
export type ConnectMcpServer = z.infer<typeof ConnectMcpServer>;

/** A server over stdin and stdout that is kept until it is disconnected. */
export const AddMcpProgram = z
  .strictObject({
    alias: McpAlias,
    command: McpCommand,
    /** The image that has the command; that of its space, or the sandbox's own, when absent. */
    image: McpImage.optional(),
    /** The space that says what it reaches; without, it reaches nothing. */
    space: SpaceName.optional(),
    protocol: McpProtocol.default('auto'),
  })
  .meta({ id: 'AddMcpProgram' });
export type AddMcpProgram = z.infer<typeof AddMcpProgram>;

export const McpTool = z
  .object({
    label: z.string(),
    /** As the model calls it. */
    name: z.string(),
    alias: z.string(),
    description: z.string(),
    annotations: ToolAnnotations,
    trusted: z.boolean(),
    /** Whether the configuration lets it run without asking. */
    autoApproved: z.boolean(),
  })
  .meta({ id: 'McpTool' });
export type McpTool = z.infer<typeof McpTool>;
export const McpToolList = z.object({ items: z.array(McpTool) }).meta({ id: 'McpToolList' });
export type McpToolList = z.infer<typeof McpToolList>;
export const McpToolDetail = McpTool.extend({ inputSchema: z.record(z.string(), z.unknown()) }).meta({
  id: 'McpToolDetail',
});
export type McpToolDetail = z.infer<typeof McpToolDetail>;

export const CallMcpTool = z
  .strictObject({
    arguments: z.record(z.string(), z.unknown()).default({}),
    /** That a person wants it although the safety gate stops it. */
    confirmed: z.boolean().default(false),
  })
  .meta({ id: 'CallMcpTool' });
export type CallMcpTool = z.infer<typeof CallMcpTool>;

export const McpResource = z
  .object({
    alias: z.string(),
    /** Or its template, with `{variables}`. */
    uri: z.string(),
    isTemplate: z.boolean(),
    name: z.string(),
    description: z.string().nullable(),
    mimeType: z.string().nullable(),
  })
  .meta({ id: 'McpResource' });
export type McpResource = z.infer<typeof McpResource>;
/** Servers that could not be asked stand in `failed`. */
export const McpFailure = z.object({ alias: z.string(), code: z.string(), detail: z.string() });
export const McpResourceList = z
  .object({ items: z.array(McpResource), failed: z.array(McpFailure) })
  .meta({ id: 'McpResourceList' });
export type McpResourceList = z.infer<typeof McpResourceList>;

export const ReadMcpResource = z.object({ alias: McpAlias, uri: z.string().min(1).max(4_096) });
export type ReadMcpResource = z.infer<typeof ReadMcpResource>;
export const McpContent = z
  .object({
    uri: z.string(),
    mimeType: z.string().nullable(),
    text: z.string().nullable(),
    /** Base64. */
    blob: z.string().nullable(),
    omittedBytes: z.int(),
  })
  .meta({ id: 'McpContent' });
export const McpContentList = z.object({ items: z.array(McpContent) }).meta({ id: 'McpContentList' });
export type McpContentList = z.infer<typeof McpContentList>;

export const McpPrompt = z
  .object({
    alias: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    arguments: z.array(z.object({ name: z.string(), description: z.string().nullable(), required: z.boolean() })),
  })
  .meta({ id: 'McpPrompt' });
export type McpPrompt = z.infer<typeof McpPrompt>;
export const McpPromptList = z
  .object({ items: z.array(McpPrompt), failed: z.array(McpFailure) })
  .meta({ id: 'McpPromptList' });
export type McpPromptList = z.infer<typeof McpPromptList>;
export const GetMcpPrompt = z
  .strictObject({
    alias: McpAlias,
    name: z.string().min(1).max(256),
    arguments: z.record(z.string(), z.string()).default({}),
  })
  .meta({ id: 'GetMcpPrompt' });
export type GetMcpPrompt = z.infer<typeof GetMcpPrompt>;
export const McpPromptMessages = z
  .object({
    description: z.string().nullable(),
    messages: z.array(z.object({ role: z.enum(['user', 'assistant']), text: z.string() })),
  })
  .meta({ id: 'McpPromptMessages' });
export type McpPromptMessages = z.infer<typeof McpPromptMessages>;

/** What the callback page of an OAuth authorization was called with. */
export const McpOAuthCallback = z.object({
  state: z.string().min(1).max(512),
  code: z.string().min(1).max(4_096).optional(),
  error: z.string().max(512).optional(),
  iss: z.string().max(2_048).optional(),
});
export type McpOAuthCallback = z.infer<typeof McpOAuthCallback>;
