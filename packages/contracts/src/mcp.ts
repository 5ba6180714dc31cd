import * as z from 'zod';
import { McpAlias, McpCommand, McpHeaderName, McpHeaderValue, McpImage, McpProtocol, McpUrl } from './mcp-config.js';
import { SpaceName } from './space-name.js';
import { ToolAnnotations } from './tools.js';

export const McpServerState = z.enum(['connecting', 'connected', 'waiting', 'unauthorized', 'closed']);
export type McpServerState = z.infer<typeof McpServerState>;

/** The state of a server in the process that answers the request. All text from the server is data. */
export const McpServerStatus = z
  .object({
    alias: z.string(),
    kind: z.enum(['http', 'stdio']),
    /** Its URL without user, password and query, or the first word of its command. */
    where: z.string(),
    source: z.enum(['configuration', 'saved', 'session']),
    state: McpServerState,
    /** Why the server is not connected, and what to do; null if it is connected. */
    detail: z.string().nullable(),
    /** The page where a person can authorize aish, if the server waits for that. */
    authorizeUrl: z.string().nullable(),
    serverName: z.string().nullable(),
    serverVersion: z.string().nullable(),
    protocolVersion: z.string().nullable(),
    transport: z.enum(['streamable', 'sse', 'stdio']).nullable(),
    /** The space whose network and secrets the server uses. Goals and chats of this space get its tools. */
    space: z.string().nullable().default(null),
    trusted: z.boolean(),
    tools: z.int(),
    /** Tools that were omitted, and why. */
    leftOut: z.array(z.string()),
    /** The server's last log lines, newest last. */
    logLines: z.array(z.string()),
    nextTryAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'McpServerStatus' });
export type McpServerStatus = z.infer<typeof McpServerStatus>;

/** How many tools the first request of a new session would not describe, for the model of the first preset. */
export const HiddenTools = z
  .object({
    hidden: z.int(),
    tools: z.int(),
    preset: z.string(),
    contextTokens: z.int(),
    /** The setting `TOOL_SHARE`. */
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
    /** The server's alias. Default: made from the URL's host. */
    alias: McpAlias.optional(),
    /** Whether to keep the server permanently. Otherwise it is kept for a day. */
    save: z.boolean().default(false),
    protocol: McpProtocol.default('auto'),
    transport: z.enum(['auto', 'streamable', 'sse']).default('auto'),
    headers: z.record(McpHeaderName, McpHeaderValue).default({}),
    bearerToken: McpHeaderValue.min(1).optional(),
    /** Whether aish may ask a person to authorize it (OAuth) if the server requires that. */
    oauth: z.boolean().default(false),
  })
  .meta({ id: 'ConnectMcpServer' });
export type ConnectMcpServer = z.infer<typeof ConnectMcpServer>;

/** A server over stdin and stdout. It is kept until somebody disconnects it. */
export const AddMcpProgram = z
  .strictObject({
    alias: McpAlias,
    command: McpCommand,
    /** The image that contains the command. Default: that of its space, or the sandbox's own. */
    image: McpImage.optional(),
    /** The space whose access the server has. If it is absent, the server has no access. */
    space: SpaceName.optional(),
    protocol: McpProtocol.default('auto'),
  })
  .meta({ id: 'AddMcpProgram' });
export type AddMcpProgram = z.infer<typeof AddMcpProgram>;

export const McpTool = z
  .object({
    label: z.string(),
    /** The name that the model uses. */
    name: z.string(),
    alias: z.string(),
    description: z.string(),
    annotations: ToolAnnotations,
    trusted: z.boolean(),
    /** Whether the configuration lets the tool run without a question. */
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
    /** A person confirms the call although the safety gate stops it. */
    confirmed: z.boolean().default(false),
  })
  .meta({ id: 'CallMcpTool' });
export type CallMcpTool = z.infer<typeof CallMcpTool>;

export const McpResource = z
  .object({
    alias: z.string(),
    /** The URI of the resource, or its template with `{variables}`. */
    uri: z.string(),
    isTemplate: z.boolean(),
    name: z.string(),
    description: z.string().nullable(),
    mimeType: z.string().nullable(),
  })
  .meta({ id: 'McpResource' });
export type McpResource = z.infer<typeof McpResource>;
/** Why a server could not be asked. */
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
    /** The content of a binary resource in Base64; null for text. */
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

/** The query parameters of the OAuth callback page. */
export const McpOAuthCallback = z.object({
  state: z.string().min(1).max(512),
  code: z.string().min(1).max(4_096).optional(),
  error: z.string().max(512).optional(),
  iss: z.string().max(2_048).optional(),
});
export type McpOAuthCallback = z.infer<typeof McpOAuthCallback>;
