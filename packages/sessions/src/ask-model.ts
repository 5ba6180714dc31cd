import { newActions, type NewAction } from '@aish/actions';
import type { AskChunk, Asker, ChatMessage, Understood } from '@aish/broker';
import type { Preset } from '@aish/contracts/config/presets.settings';
import { jsonTextOf } from '@aish/contracts/json-text';
import { isAishError, type AishError } from '@aish/contracts/problems';
import type { ToolSpec } from '@aish/contracts/tools';
import { extract, type GoalLine } from '@aish/conversation';
import { named, type Definition, type Toolbox } from '@aish/tools';

export interface ModelPorts {
  readonly asker: Asker;
  readonly toolbox: Toolbox;
  /** Whether the configuration lets a tool be called without asking, by its label. */
  readonly autoApproves: (label: string) => boolean;
}

/** What one request is made of. */
export interface ModelQuestion {
  readonly preset: Preset;
  readonly seed?: number | null;
  readonly specs: readonly ToolSpec[];
  /** Descriptions of tools that earlier requests held: requests describe at least these, so that the prompt cache holds. */
  readonly offered: readonly Definition[];
  /** Names of tools that the model has found since. */
  readonly wanted: readonly string[];
  /** The share of the window that descriptions of tools may take. */
  readonly toolShare: number;
  /** The messages, in what the descriptions of tools leave of the window. */
  readonly messages: (
    budgetTokens: number,
    tokensOf: (text: string) => number,
    tools: readonly Definition[],
  ) => readonly ChatMessage[];
}

/** An answer that was understood, its calls by their full names, and what it asks for. */
export interface ModelAnswer extends Understood {
  readonly actions: readonly NewAction[];
  readonly goalLine: GoalLine | null;
}

export interface ModelReply {
  /** Null where none came. */
  readonly answer: ModelAnswer | null;
  /** Why none came. */
  readonly failure: AishError | null;
  /** What the request described; grows only. */
  readonly offered: readonly Definition[];
}

/** Room that a conversation always gets, tokens. */
const MESSAGES_MIN_TOKENS = 128;

/**
 * Asks a model once. `heard` is told what comes, as it comes.
 * @throws what is no AishError.
 */
export async function askModel(
  question: ModelQuestion,
  { asker, toolbox, autoApproves }: ModelPorts,
  heard: (chunk: Exclude<AskChunk, { type: 'understood' }>) => void,
  signal: AbortSignal,
): Promise<ModelReply> {
  const { preset, seed = null, specs, wanted, toolShare } = question;
  let { offered } = question;
  const chunks = asker.ask(
    {
      preset,
      ...(seed === null ? {} : { seed }),
      compose: ({ budgetTokens, tokensOf, fit }) => {
        const share = Math.floor((fit.contextTokens ?? budgetTokens) * toolShare);
        const room = { budgetTokens: share, tokensOf, autoApproves };
        offered = toolbox.choose(specs, question.offered, wanted, room).definitions;
        const taken = offered.reduce((sum, tool) => sum + tokensOf(jsonTextOf(tool)), 0);
        const left = Math.max(MESSAGES_MIN_TOKENS, budgetTokens - taken);
        return { messages: question.messages(left, tokensOf, offered), tools: offered };
      },
    },
    signal,
  );
  let understood: Understood | null = null;
  try {
    for await (const chunk of chunks) {
      if (chunk.type === 'understood') understood = chunk.answer;
      else heard(chunk);
    }
  } catch (error) {
    if (!isAishError(error)) throw error;
    return { answer: null, failure: error, offered };
  }
  if (understood === null) return { answer: null, failure: null, offered };
  return { answer: withActions(understood, specs, toolbox), failure: null, offered };
}

/** What an answer asks for, by its lines and its calls. */
export function withActions(understood: Understood, specs: readonly ToolSpec[], toolbox: Toolbox): ModelAnswer {
  const { commands, goalLine } = extract(understood.text);
  const toolCalls = named(understood.toolCalls, specs);
  return { ...understood, toolCalls, goalLine, actions: newActions(commands, toolCalls, specs, toolbox) };
}
