import { newActions, type NewAction } from '@aish/actions';
import type { AskChunk, Asker, ChatMessage, Understood } from '@aish/broker';
import type { Preset } from '@aish/contracts/config/presets.settings';
import { jsonTextOf } from '@aish/contracts/json-text';
import { isAishError, type AishError } from '@aish/contracts/problems';
import type { ToolSpec } from '@aish/contracts/tools';
import { AnswerGuard, extract, type CutAnswer, type GoalLine } from '@aish/conversation';
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
  /** Why it is not all that its model wrote, or not enough; what was cut inside a command asks for nothing. */
  readonly cut: CutAnswer | null;
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
  let guard = new AnswerGuard();
  let reasoning = '';
  let understood: Understood | null = null;
  try {
    for await (const chunk of chunks) {
      if (chunk.type === 'understood') understood = chunk.answer;
      else if (chunk.type !== 'text') {
        if (chunk.type === 'again') [guard, reasoning] = [new AnswerGuard(), ''];
        if (chunk.type === 'reasoning') reasoning += chunk.text;
        heard(chunk);
      } else {
        const text = guard.add(chunk.text);
        if (text !== '') heard({ type: 'text', text });
        // Leaving the loop ends the request: the model would go on to its limit.
        if (guard.cut !== null) break;
      }
    }
  } catch (error) {
    if (!isAishError(error)) throw error;
    return { answer: null, failure: error, offered };
  }
  const text = guard.end();
  if (text !== '') heard({ type: 'text', text });
  if (guard.cut !== null) understood = { ...CUT_OFF, ...understood, reasoning, text: guard.text };
  if (understood === null) return { answer: null, failure: null, offered };
  return { answer: readAnswer(understood, specs, toolbox, guard), failure: null, offered };
}

/** Of an answer whose request was ended before the server had said how it ended. */
const CUT_OFF: Understood = {
  text: '',
  reasoning: '',
  toolCalls: [],
  finishReason: 'stop',
  model: null,
  usage: null,
  notes: [],
  isSchemaEcho: false,
};

const CUT_NOTES: Readonly<Record<CutAnswer, string>> = {
  invented: 'cut where it began to invent a result',
  repeats: 'cut because it repeated itself',
  'in-command': 'cut by the limit inside a command, which was not run',
  thinking: 'the limit was reached while it thought',
  empty: 'it was empty',
};

/** What an answer asks for, by its lines and its calls. */
export function readAnswer(
  understood: Understood,
  specs: readonly ToolSpec[],
  toolbox: Toolbox,
  guard: Pick<AnswerGuard, 'cut' | 'isInCommand'>,
): ModelAnswer {
  const cut = cutOf(understood, guard);
  const notes = cut === null ? understood.notes : [...understood.notes, CUT_NOTES[cut]];
  // Half a command is never judged, and what was to come with it is not known.
  const { commands, goalLine } = cut === 'in-command' ? { commands: [], goalLine: null } : extract(understood.text);
  const toolCalls = cut === 'in-command' ? [] : named(understood.toolCalls, specs);
  const actions = newActions(commands, toolCalls, specs, toolbox);
  return { ...understood, notes, toolCalls, goalLine, actions, cut };
}

function cutOf(
  { text, reasoning, toolCalls, finishReason }: Understood,
  { cut, isInCommand }: Pick<AnswerGuard, 'cut' | 'isInCommand'>,
): CutAnswer | null {
  if (cut !== null) return cut;
  const isLimit = finishReason === 'length';
  if (toolCalls.length > 0) return null;
  if (text.trim() === '') return isLimit && reasoning !== '' ? 'thinking' : 'empty';
  return isLimit && isInCommand ? 'in-command' : null;
}
