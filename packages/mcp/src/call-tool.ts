import type { McpServer } from '@aish/contracts/mcp-config';
import { AishError } from '@aish/contracts/problems';
import type { ToolCallOptions, ToolResult } from '@aish/contracts/tools';
import {
  LOG_LEVEL_META_KEY,
  isInputRequiredResult,
  type CallToolResult,
  type Client,
  type InputRequiredResult,
  type InputResponses,
  type Tool,
} from '@modelcontextprotocol/client';
import { cleanText } from './clean-text.js';
import { untilAborted } from './connect.js';
import { Deadline } from './deadline.js';
import { isSessionGone, lostCall } from './errors.js';
import { LIMITS } from './limits.js';
import { labelOf } from './naming.js';
import { Questions, toElicitResult } from './questions.js';
import { begun } from './server-task.js';
import { Created, taskIn } from './task-answers.js';
import { toToolResult } from './tool-result.js';

/** The maximum of the SDK's own timer. The deadline here is shorter and excludes the time of people. */
const SDK_TIMEOUT_MS = 2 ** 31 - 1;
/** The interval at which progress is passed on, because a progress bar is not drawn more often. */
const PROGRESS_EVERY_MS = 100;

export interface ToolRequest {
  readonly client: Client;
  readonly tool: Tool;
  readonly args: Record<string, unknown>;
  readonly server: McpServer;
  /** Maximum silence in milliseconds. */
  readonly idleMs: number;
}

/** A call that has no answer yet. */
export interface CallUnderWay {
  readonly questions: Questions;
  readonly deadline: Deadline;
  readonly options: ToolCallOptions;
  /** Aborts when nobody waits for the call any more. */
  readonly signal: AbortSignal;
}

/**
 * Calls a tool and handles all messages until its answer: progress, log lines, questions.
 *
 * @param within runs the work so that messages of the server can be assigned to this call.
 * @throws AishError `mcp_timeout`, and errors of the SDK.
 */
export async function callTool(
  request: ToolRequest,
  signal: AbortSignal,
  options: ToolCallOptions,
  within: (underWay: CallUnderWay, work: () => Promise<ToolResult>) => Promise<ToolResult>,
): Promise<ToolResult> {
  const deadline = new Deadline(
    request.idleMs,
    LIMITS.callTotalMs,
    `MCP tool ${labelOf(request.server.alias, request.tool.name)}`,
  );
  const limit = AbortSignal.any([signal, deadline.signal]);
  const underWay: CallUnderWay = { questions: new Questions(options), deadline, options, signal: limit };
  try {
    return await within(underWay, () => untilAborted(rounds(request, underWay), limit));
  } catch (error) {
    throw deadline.signal.aborted && !signal.aborted ? deadline.signal.reason : error;
  } finally {
    deadline.end();
  }
}

/** Calls a server of 2026, which answers with its questions and is called again with their answers. */
async function rounds(request: ToolRequest, underWay: CallUnderWay): Promise<ToolResult> {
  const { questions, deadline, signal } = underWay;
  let round = questions.resumed();
  for (let n = 0; n <= LIMITS.questions; n += 1) {
    const result = await ask(request, underWay, round).catch((error: unknown) => {
      // The server started the call in an earlier round, so a call from the start would be another call.
      throw n > 0 && isSessionGone(error) ? lostCall(error, request.server.alias) : error;
    });
    const task = taskIn(result);
    if (task !== undefined)
      return begun(Created.parse(task), request.server, underWay.options.taskMaxMs ?? LIMITS.callTotalMs);
    if (!isInputRequiredResult(result)) return withPending(toToolResult(result), questions);
    const responses: InputResponses = {};
    for (const [name, input] of Object.entries(result.inputRequests ?? {})) {
      if (input.method !== 'elicitation/create') {
        throw new AishError(
          'mcp_refused',
          `MCP server ${request.server.alias} asks for ${cleanText(input.method, 64)}, which aish does not offer`,
        );
      }
      const { params } = input;
      const answer = await deadline.without(() => untilAborted(questions.answer(params, signal, name), signal));
      if (answer !== null) responses[name] = toElicitResult(answer, params);
    }
    const pending = questions.pending(false, result.requestState);
    if (pending !== undefined) return { text: '', isError: false, omittedBytes: 0, pending };
    questions.forget();
    round = { responses, requestState: result.requestState };
  }
  throw new AishError(
    'mcp_refused',
    `MCP server ${request.server.alias} asks more than ${LIMITS.questions} questions in one call`,
  );
}

/** Adds the open questions to a result. A server of 2025 was told that nobody answers, and this is its result. */
function withPending(result: ToolResult, questions: Questions): ToolResult {
  const pending = questions.pending(true);
  return pending === undefined ? result : { ...result, pending };
}

function ask(
  { client, tool, args }: ToolRequest,
  { deadline, options, signal }: CallUnderWay,
  round: { readonly responses: InputResponses; readonly requestState: string | undefined } | null,
): Promise<CallToolResult | InputRequiredResult> {
  // The output schema is omitted, because a server's regular expressions are not run here, and its answer becomes text
  // anyway.
  const { outputSchema: _, ...toolDefinition } = tool;
  let toldAtMs = 0;
  const params: Parameters<Client['callTool']>[0] = {
    name: tool.name,
    arguments: args,
    ...(round === null ? {} : { inputResponses: round.responses }),
    ...(round?.requestState === undefined ? {} : { requestState: round.requestState }),
    ...(options.onLog !== undefined && client.getProtocolEra() === 'modern'
      ? { _meta: { [LOG_LEVEL_META_KEY]: 'info' } }
      : {}),
  };
  return client.callTool(params, {
    signal,
    toolDefinition,
    timeout: SDK_TIMEOUT_MS,
    allowInputRequired: true,
    onprogress: ({ progress, total = null, message }) => {
      deadline.touch();
      if (performance.now() - toldAtMs < PROGRESS_EVERY_MS) return;
      toldAtMs = performance.now();
      const text = message === undefined ? null : cleanText(message, LIMITS.logChars);
      options.onProgress?.({ progress, total, message: text });
    },
  });
}
