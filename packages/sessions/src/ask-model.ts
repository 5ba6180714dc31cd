import { newActions, type NewAction } from '@aish/actions';
import {
  shellCommandOf,
  type AnswerStream,
  type AskChunk,
  type AskRequest,
  type Asker,
  type ChatMessage,
  type Understood,
} from '@aish/broker';
import type { LiveProgress } from '@aish/contracts/chat';
import type { Preset } from '@aish/contracts/config/presets.settings';
import { jsonTextOf } from '@aish/contracts/json-text';
import { isAishError, type AishError } from '@aish/contracts/problems';
import type { ToolCall, ToolSpec } from '@aish/contracts/tools';
import { AnswerGuard, endsInCommand, extract, rescue, tidy, type CutAnswer, type GoalLine } from '@aish/conversation';
import { named, type Definition, type Toolbox } from '@aish/tools';
import { ModelProgress } from './model-progress.js';

export interface ModelPorts {
  readonly asker: Asker;
  readonly toolbox: Toolbox;
  /** Whether the configuration lets a tool be called without asking, by its label. */
  readonly autoApproves: (label: string) => boolean;
}

/** What one request is made of. */
export interface ModelQuestion {
  readonly of: 'goal' | 'chat';
  readonly preset: Preset;
  readonly seed?: number | null;
  /** By what its answer is found again after its driver has died. */
  readonly stream?: AnswerStream;
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

/** @param offers told of the tools that the request describes. */
export function requestOf(
  question: ModelQuestion,
  { toolbox, autoApproves }: Pick<ModelPorts, 'toolbox' | 'autoApproves'>,
  offers: (tools: readonly Definition[]) => void,
): AskRequest {
  const { preset, seed = null, stream, specs, wanted, toolShare } = question;
  return {
    preset,
    ...(seed === null ? {} : { seed }),
    ...(stream === undefined ? {} : { stream }),
    compose: ({ budgetTokens, tokensOf, fit }) => {
      const share = Math.floor((fit.contextTokens ?? budgetTokens) * toolShare);
      const room = { budgetTokens: share, tokensOf, autoApproves };
      const offered = toolbox.choose(specs, question.offered, wanted, room).definitions;
      offers(offered);
      const taken = offered.reduce((sum, tool) => sum + tokensOf(jsonTextOf(tool)), 0);
      const left = Math.max(MESSAGES_MIN_TOKENS, budgetTokens - taken);
      return { messages: question.messages(left, tokensOf, offered), tools: offered };
    },
  };
}

/**
 * Asks a model once. `heard` is told what comes, as it comes; `progress` what the model does, once a second.
 * @throws what is no AishError.
 */
export async function askModel(
  question: ModelQuestion,
  { asker, toolbox, autoApproves }: ModelPorts,
  heard: (chunk: Exclude<AskChunk, { type: 'understood' }>) => void,
  progress: (progress: LiveProgress) => void,
  signal: AbortSignal,
): Promise<ModelReply> {
  const { specs } = question;
  let { offered } = question;
  const request = requestOf(question, { toolbox, autoApproves }, (tools) => (offered = tools));
  const chunks = asker.ask(request, signal);
  let guard = new AnswerGuard();
  let reasoning = '';
  let understood: Understood | null = null;
  const doing = new ModelProgress(progress);
  try {
    for await (const chunk of chunks) {
      doing.heard(chunk);
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
  } finally {
    doing.stop();
  }
  const text = guard.end();
  if (text !== '') heard({ type: 'text', text });
  if (guard.cut !== null) understood = { ...CUT_OFF, ...understood, reasoning, text: guard.text };
  if (understood === null) return { answer: null, failure: null, offered };
  return { answer: readAnswer(understood, specs, toolbox, guard, question.of), failure: null, offered };
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
  unclosed: 'a here-document was never closed; nothing was run',
  unreadable: 'it could not be read',
  thinking: 'it only thought',
  empty: 'it was empty',
};

/** How an answer ended, as far as its text tells. */
interface Ended extends Pick<AnswerGuard, 'isInCommand' | 'isInHereDocument'> {
  readonly cut: CutAnswer | null;
}

/**
 * What an answer asks for, by its lines and its calls. In a goal its one action counts in another form, too; in a chat a
 * fence is a proposal for the person.
 */
export function readAnswer(
  answer: Understood,
  specs: readonly ToolSpec[],
  toolbox: Toolbox,
  ended: Ended,
  of: 'goal' | 'chat',
): ModelAnswer {
  const understood = withoutStray(answer);
  const found = cutOf(understood, ended);
  // Half a command is never judged, and what was to come with it is not known.
  if (found === 'in-command' || found === 'unclosed') {
    const notes = [...understood.notes, CUT_NOTES[found]];
    return { ...understood, notes, toolCalls: [], goalLine: null, actions: [], cut: found };
  }
  const read = withCommands(understood, specs, of);
  const { commands, goalLine } = extract(read.text);
  const toolCalls = named(read.toolCalls, specs);
  const actions = newActions(commands, toolCalls, specs, toolbox);
  // What its endpoint could not read may say what it wants all the same.
  const cut = found === 'unreadable' && (actions.length > 0 || goalLine !== null) ? null : found;
  const notes = cut === null ? read.notes : [...read.notes, CUT_NOTES[cut]];
  return { ...read, notes, toolCalls, goalLine, actions, cut };
}

/** Without thoughts in its text, stop tokens, roles, and turns that it made up. */
function withoutStray(understood: Understood): Understood {
  const { text, thoughts } = tidy(understood.text, endsInCommand);
  const reasoning = [understood.reasoning, thoughts].filter((each) => each !== '').join('\n');
  return { ...understood, text, reasoning };
}

/** With the commands that it asks for in another form in that of `CMD:` lines: so the model sees how they are written. */
function withCommands(understood: Understood, specs: readonly ToolSpec[], of: 'goal' | 'chat'): Understood {
  const isTool = (name: string): boolean => specs.some((spec) => spec.name === name || spec.label === name);
  const called = understood.toolCalls.map((call) => ({ call, command: isTool(call.name) ? null : lineOf(call) }));
  const lines = called.flatMap(({ command }) => (command === null ? [] : [`CMD: ${command}`]));
  if (lines.length > 0) {
    const text = [understood.text.trimEnd(), ...lines].filter((each) => each !== '').join('\n');
    const toolCalls = called.flatMap(({ call, command }) => (command === null ? [call] : []));
    return { ...understood, text, toolCalls, notes: [...understood.notes, 'read a command out of a call'] };
  }
  const { commands, goalLine } = extract(understood.text);
  const hasAction =
    commands.length + understood.toolCalls.length > 0 || (goalLine !== null && goalLine.kind !== 'check');
  if (of === 'chat' || hasAction || understood.finishReason === 'length') return understood;
  const rescued = rescue(understood.text);
  if (rescued === null) return understood;
  return { ...understood, text: rescued.text, notes: [...understood.notes, `read an action out of ${rescued.from}`] };
}

/** The command of a call of a shell, where one line says all of it. */
function lineOf(call: ToolCall): string | null {
  const command = shellCommandOf(call);
  if (command === null) return null;
  const { commands } = extract(`CMD: ${command}`);
  return commands.length === 1 && commands[0] === command ? command : null;
}

function cutOf(
  { text, reasoning, toolCalls, finishReason }: Understood,
  { cut, isInCommand, isInHereDocument }: Ended,
): CutAnswer | null {
  if (cut !== null) return cut;
  const isLimit = finishReason === 'length';
  if (toolCalls.length > 0) return null;
  if (text.trim() === '') return reasoning !== '' ? 'thinking' : 'empty';
  if (isLimit && isInCommand) return 'in-command';
  return isInHereDocument ? 'unclosed' : null;
}
