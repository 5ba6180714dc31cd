import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import type {
  AddMcpProgram,
  CallMcpTool,
  ConnectMcpServer,
  GetMcpPrompt,
  McpContentList,
  McpOAuthCallback,
  McpPromptList,
  McpPromptMessages,
  McpResourceList,
  McpServerList,
  McpServerStatus,
  McpTool,
  McpToolDetail,
  McpToolList,
  ReadMcpResource,
} from '@aish/contracts/mcp';
import { AishError } from '@aish/contracts/problems';
import { TOOL_UNKNOWN, type Classification } from '@aish/contracts/safety';
import { allows } from '@aish/contracts/tokens';
import type { ToolResult } from '@aish/contracts/tools';
import { appendAudit } from '@aish/database/audit.repository';
import type { Database } from '@aish/database/client';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { inTransaction } from '@aish/database/transaction';
import { aliasOf, aliasTaken, requireAllowedAddress, shownUrl, type ListedTool, type Mcp } from '@aish/mcp';
import { SafetyService } from '../safety/safety.service.js';
import type { ChatParts } from '../sessions/make-chats.js';
import { spaceFor } from '../spaces/space-access.js';

/** The response about a new server waits this long for the first connection attempt. */
const FIRST_TRY_MS = 10_000;
const BROWSE_TIMEOUT_MS = 30_000;
const CALL_TIMEOUT_MS = 600_000;

/** Manages MCP servers for people and programs. Other code lets models use the tools. */
@Injectable()
export class McpService {
  constructor(
    @Part('mcp') private readonly mcp: Mcp,
    @Part('db') private readonly db: Database,
    private readonly safety: SafetyService,
    @Part('chats') private readonly chats: Pick<ChatParts, 'autoApproves' | 'hiddenTools'>,
  ) {}

  async servers(): Promise<readonly McpServerStatus[]> {
    await this.mcp.registry.sync(true);
    return this.mcp.registry.status();
  }

  /** Lists the servers, and counts the tools that a model must search for in a session of this owner. */
  async list(owner: string): Promise<McpServerList> {
    return { items: [...(await this.servers())], hiddenTools: await this.chats.hiddenTools(owner) };
  }

  /**
   * Adds a server and returns the result of the first connection attempt. @throws AishError `mcp_alias_taken`;
   * `forbidden` for an address that needs an admin
   */
  async connect(token: ApiTokenRow, request: ConnectMcpServer): Promise<McpServerStatus> {
    const alias = request.alias ?? aliasOf(request.url);
    const { registry, kept } = this.mcp;
    const { name: by } = token;
    const allowedAddresses = allows(token.scopes, 'admin') ? 'private' : 'public';
    await requireAllowedAddress({ url: request.url, allowedAddresses });
    if (registry.status().some((status) => status.alias === alias)) throw aliasTaken(alias);
    await inTransaction(this.db, async (tx) => {
      await kept.add(tx, alias, request, { by, allowedAddresses });
      const facts = { url: shownUrl(request.url), saved: request.save };
      await appendAudit(tx, { actor: by, action: 'mcp.connected', subject: alias, facts });
    });
    return this.firstTry(alias);
  }

  /**
   * Adds a program and returns the result of its first start. @throws AishError `mcp_alias_taken`; `not_found` for its
   * space
   */
  async addProgram(token: ApiTokenRow, program: AddMcpProgram): Promise<McpServerStatus> {
    const { alias, command, space } = program;
    const { registry, kept } = this.mcp;
    if (registry.status().some((status) => status.alias === alias)) throw aliasTaken(alias);
    await inTransaction(this.db, async (tx) => {
      if (space !== undefined) await spaceFor(tx, token, space);
      await kept.addProgram(tx, program, token.name);
      const facts = { command: command.join(' '), space: space ?? null, image: program.image ?? null, saved: true };
      await appendAudit(tx, { actor: token.name, action: 'mcp.connected', subject: alias, facts });
    });
    return this.firstTry(alias);
  }

  private async firstTry(alias: string): Promise<McpServerStatus> {
    const { registry } = this.mcp;
    await registry.sync(true);
    const link = registry.server(alias);
    await link.settled(FIRST_TRY_MS);
    return link.status();
  }

  /** @throws AishError `not_found`; `mcp_configured` */
  async disconnect(by: string, alias: string): Promise<McpServerStatus> {
    const { registry, kept } = this.mcp;
    await registry.sync(true);
    const status = registry.server(alias).status();
    if (status.source === 'configuration') {
      throw new AishError('mcp_configured', `${alias} comes from the configuration. Remove it from MCP_SERVERS`);
    }
    await inTransaction(this.db, async (tx) => {
      if (!(await kept.remove(tx, alias))) throw new AishError('not_found', `There is no MCP server ${alias}`);
      await appendAudit(tx, { actor: by, action: 'mcp.disconnected', subject: alias });
    });
    await registry.sync(true);
    return { ...status, state: 'closed', tools: 0 };
  }

  async tools(): Promise<McpToolList> {
    return { items: (await this.mcp.registry.listed()).map((tool) => this.shown(tool)) };
  }

  /** Finds a tool by its label or by its name for models. @throws AishError `not_found` */
  async tool(label: string): Promise<McpToolDetail> {
    const tool = await this.mcp.registry.tool(label);
    return { ...this.shown(tool), inputSchema: tool.spec.inputSchema };
  }

  /**
   * Calls a tool for a person. A call that the safety gate stops needs `confirmed` and a token that may decide. A call
   * that the gate cannot classify also needs such a token, unless the configuration lets the tool run without asking.
   * Only people who may work in the space of a program may call it. @throws AishError `not_found`, `forbidden`, the
   * `mcp_…` codes
   */
  async call(token: ApiTokenRow, label: string, request: CallMcpTool, signal: AbortSignal): Promise<ToolResult> {
    const { registry } = this.mcp;
    const { spec } = await registry.tool(label);
    await this.checkSpace(token, spec.label);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(CALL_TIMEOUT_MS)]);
    const judged = await this.safety.check({ tool: spec.name, arguments: request.arguments }, limit);
    const mayRun = judged.verdict === 'safe' || (judged.ruleId === TOOL_UNKNOWN && this.chats.autoApproves(label));
    const mayDecide = allows(token.scopes, 'decide') && (request.confirmed || judged.verdict === 'unknown');
    if (!mayRun && !mayDecide) throw stopped(judged);
    const call = { id: 'api', name: spec.name, arguments: JSON.stringify(request.arguments) };
    // There is no session, because a person calls the tool directly.
    const context = { sessionId: '', owner: token.name, goalId: null };
    return registry.call(call, context, limit);
  }

  resources(): Promise<McpResourceList> {
    return this.mcp.browser.resources(AbortSignal.timeout(BROWSE_TIMEOUT_MS));
  }

  async read(token: ApiTokenRow, request: ReadMcpResource): Promise<McpContentList> {
    await this.checkSpace(token, `${request.alias}.`);
    return this.mcp.browser.read(request, AbortSignal.timeout(BROWSE_TIMEOUT_MS));
  }

  prompts(): Promise<McpPromptList> {
    return this.mcp.browser.prompts(AbortSignal.timeout(BROWSE_TIMEOUT_MS));
  }

  async prompt(token: ApiTokenRow, request: GetMcpPrompt): Promise<McpPromptMessages> {
    await this.checkSpace(token, `${request.alias}.`);
    return this.mcp.browser.prompt(request, AbortSignal.timeout(BROWSE_TIMEOUT_MS));
  }

  /** @returns the alias of the newly authorized server */
  finishOAuth(callback: McpOAuthCallback): Promise<string> {
    return this.mcp.finishOAuth(callback);
  }

  /** Checks that the caller may work in the space of a program, because the program has the access of that space. */
  private async checkSpace(token: ApiTokenRow, label: string): Promise<void> {
    const space = this.mcp.registry.spaceOf(label);
    if (space !== null) await spaceFor(this.db.statements, token, space);
  }

  private shown({ spec }: ListedTool): McpTool {
    const { label, name, description, annotations, trusted } = spec;
    const alias = label.slice(0, label.indexOf('.'));
    return {
      label,
      name,
      alias,
      description,
      annotations,
      trusted,
      autoApproved: this.chats.autoApproves(label),
    };
  }
}

function stopped({ verdict, reason }: Classification): AishError {
  const confirmed = verdict === 'destructive' ? 'confirmed: true, and ' : '';
  const message = `The safety gate stops this: ${reason ?? verdict}. It needs ${confirmed}a token with scope decide`;
  return new AishError('forbidden', message, { needed: 'decide', reason });
}
