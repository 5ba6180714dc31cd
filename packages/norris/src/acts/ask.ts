import { randomUUID } from 'node:crypto';
import { isAishError, jsonTextOf, type AishError, type ToolCall, type ToolSpec } from '@aish/contracts';
import type { Understood } from '@aish/broker';
import { compose, extract, goalSystemPrompt } from '@aish/conversation';
import type { NewAction } from '../machine/events.js';
import type { GoalTools, OfferedTool } from '../tools.port.js';
import type { ActContext, ActPorts, Acted } from './context.js';

/** The share of the window that descriptions of tools may take. */
const TOOLS_SHARE = 0.1;
/** Tool calls taken from one answer. */
const CALLS_MAX = 32;

/** Asks the model for the next step, when its endpoint has a slot for it. */
export function ask(context: ActContext, ports: ActPorts, signal: AbortSignal): Promise<Acted> {
  return ports.slots.use(context.preset.baseUrl, signal, () => askNow(context, ports, signal));
}

async function askNow(context: ActContext, ports: ActPorts, signal: AbortSignal): Promise<Acted> {
  const { preset, goalId, step } = context;
  const startedAt = performance.now();
  const [specs, memory] = await Promise.all([
    ports.tools.specs(context.toolContext),
    context.memory(context.toolContext),
  ]);
  const system = goalSystemPrompt(specs, memory);
  let offered: readonly OfferedTool[] = context.offered;
  let answer: Understood | null = null;
  try {
    const chunks = ports.asker.ask(
      {
        preset,
        compose: ({ budgetTokens, tokensOf }) => {
          const toolsBudget = Math.floor(budgetTokens * TOOLS_SHARE);
          const chosen = ports.tools.choose(specs, context.offered, context.wanted, toolsBudget, tokensOf);
          offered = chosen.definitions;
          const taken = offered.reduce((sum, tool) => sum + tokensOf(jsonTextOf(tool)), 0);
          const messages = compose(system, context.turns, budgetTokens - taken, tokensOf);
          return { messages, tools: offered };
        },
      },
      signal,
    );
    for await (const chunk of chunks) {
      if (chunk.type === 'text') context.live({ type: 'model.delta', goalId, step, text: chunk.text });
      else if (chunk.type === 'understood') answer = chunk.answer;
    }
  } catch (error) {
    if (!isAishError(error) || error.code === 'aborted') throw error;
    if (error.code !== 'model_unparsed') return away(error);
    answer = unreadable(error);
  }
  if (answer === null) throw new Error('ask: the answer ended without being understood');
  const { commands, goalLine } = extract(answer.text);
  const calls = answer.toolCalls.slice(0, CALLS_MAX);
  return {
    event: {
      type: 'answered',
      text: answer.text,
      model: answer.model,
      usage: answer.usage,
      notes: answer.notes,
      actions: [
        ...commands.map((command): NewAction => ({ id: randomUUID(), kind: 'command', command, isCheck: false })),
        ...calls.map((call) => toAction(call, specs, ports.tools)),
      ],
      goalLine,
      checkId: randomUUID(),
      isSchemaEcho: answer.isSchemaEcho,
      tookMs: performance.now() - startedAt,
    },
    offered,
  };
}

/** A call as an action; what is wrong with it comes back to the model, and nothing is called. */
function toAction(call: ToolCall, specs: readonly ToolSpec[], tools: GoalTools): NewAction {
  const prepared = tools.prepare(call, specs);
  const request = {
    id: randomUUID(),
    kind: 'tool',
    callId: call.id,
    tool: call.name,
    arguments: call.arguments,
  } as const;
  if ('refused' in prepared) {
    return { ...request, label: prepared.label, readOnly: false, fault: prepared.refused.text };
  }
  const { spec, isBuiltIn } = prepared.ready;
  const readOnly = isBuiltIn || (spec.trusted && spec.annotations.readOnlyHint === true);
  return { ...request, label: spec.label, readOnly };
}

/** Whatever is wrong with the endpoint can be mended while the goal waits: it is no end. */
function away(error: AishError): Acted {
  if (error.code === 'model_context_overflow') return { event: { type: 'failed', reason: error.message } };
  const { retryAfterS } = error.facts;
  return {
    event: { type: 'away', what: 'model', reason: `${error.code}: ${error.message}`, began: false },
    ...(typeof retryAfterS === 'number' ? { retryAfterMs: retryAfterS * 1000 } : {}),
  };
}

/** The endpoint could not read what its model wrote, whatever way it was asked. The model is told, a few times. */
function unreadable(error: AishError): Understood {
  const { text } = error.facts;
  return {
    text: typeof text === 'string' ? text : '',
    reasoning: '',
    toolCalls: [],
    finishReason: 'other',
    model: null,
    usage: null,
    notes: [error.message],
    isSchemaEcho: true,
  };
}
