import { randomUUID } from 'node:crypto';
import { newActions } from '@aish/actions';
import type { Preset } from '@aish/contracts/config/presets.settings';
import type { LiveBody } from '@aish/contracts/events';
import { invariant } from '@aish/contracts/invariant';
import { jsonTextOf } from '@aish/contracts/json-text';
import { isAishError, type AishError } from '@aish/contracts/problems';
import type { Turn } from '@aish/contracts/sessions';
import type { ToolContext } from '@aish/contracts/tools';
import type { Asker, Understood } from '@aish/broker';
import { compose, extract, goalSystemPrompt } from '@aish/conversation';
import { named, type Definition, type Toolbox } from '@aish/tools';
import type { GoalEvent } from './machine/events.js';
import type { ModelSlots } from './model-slots.js';

export interface Question {
  readonly session: ToolContext & { readonly goalId: string };
  readonly preset: Preset;
  readonly seed: number | null;
  readonly step: number;
  /** The share of the window that descriptions of tools may take, and which of them come first. */
  readonly toolShare: number;
  readonly autoApproves: (label: string) => boolean;
  readonly turns: readonly Turn[];
  /** Descriptions of tools that earlier requests held, and names of tools that the model has found since. */
  readonly offered: readonly Definition[];
  readonly wanted: readonly string[];
  /** How to use the memory, for the system message. */
  readonly memory: () => Promise<string | null>;
  readonly live: (body: LiveBody) => void;
  /** Told what the model had written when it was stopped. */
  readonly stopped: (text: string) => Promise<void>;
}

export interface QuestionPorts {
  readonly asker: Asker;
  readonly toolbox: Toolbox;
  readonly slots: ModelSlots;
}

export interface Reply {
  readonly event: GoalEvent;
  /** How long the endpoint wants to be left alone. */
  readonly retryAfterMs?: number;
  /** What the request described; grows only. */
  readonly offered: readonly Definition[];
}

/** Asks the model for the next step, when its endpoint has a slot for it. */
export function askModel(question: Question, ports: QuestionPorts, signal: AbortSignal): Promise<Reply> {
  return ports.slots.use(question.preset.baseUrl, signal, () => askNow(question, ports, signal));
}

async function askNow(question: Question, { asker, toolbox }: QuestionPorts, signal: AbortSignal): Promise<Reply> {
  const { preset, step, session, wanted, autoApproves } = question;
  const startedAt = performance.now();
  const [specs, memory] = await Promise.all([toolbox.specs(session), question.memory()]);
  const system = goalSystemPrompt(specs, memory);
  let { offered } = question;
  let answer: Understood | null = null;
  let written = '';
  try {
    const chunks = asker.ask(
      {
        preset,
        ...(question.seed === null ? {} : { seed: question.seed }),
        compose: ({ budgetTokens, tokensOf }) => {
          const toolsBudget = Math.floor(budgetTokens * question.toolShare);
          const room = { budgetTokens: toolsBudget, tokensOf, autoApproves };
          offered = toolbox.choose(specs, question.offered, wanted, room).definitions;
          const taken = offered.reduce((sum, tool) => sum + tokensOf(jsonTextOf(tool)), 0);
          const messages = compose(system, question.turns, budgetTokens - taken, tokensOf);
          return { messages, tools: offered };
        },
      },
      signal,
    );
    for await (const chunk of chunks) {
      if (chunk.type === 'text') {
        written += chunk.text;
        question.live({ type: 'model.delta', goalId: session.goalId, step, text: chunk.text });
      } else if (chunk.type === 'again') written = '';
      else if (chunk.type === 'understood') answer = chunk.answer;
    }
  } catch (error) {
    if (isAishError(error, 'aborted') && written !== '') await question.stopped(written);
    if (!isAishError(error) || error.code === 'aborted') throw error;
    if (error.code !== 'model_unparsed') return { ...away(error), offered: question.offered };
    answer = unreadable(error);
  }
  invariant(answer !== null, 'an answer of a model ends with being understood');
  const { text, model, usage, notes, isSchemaEcho, toolCalls } = answer;
  const { commands, goalLine } = extract(text);
  const actions = newActions(commands, named(toolCalls, specs), specs, toolbox);
  const tookMs = performance.now() - startedAt;
  return {
    event: {
      type: 'answered',
      text,
      model,
      usage,
      notes,
      actions,
      goalLine,
      checkId: randomUUID(),
      isSchemaEcho,
      tookMs,
    },
    offered,
  };
}

/** Whatever is wrong with the endpoint can be mended while the goal waits: it is no end. */
function away(error: AishError): Omit<Reply, 'offered'> {
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
