import { newActions, type NewAction } from '@aish/actions';
import {
  ACTION_CALLS,
  actionOfCall,
  linesOfAction,
  readObject,
  salvage,
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
import type { ShownTurn } from '@aish/contracts/sessions';
import {
  AnswerGuard,
  IN_COMMAND_FACTOR,
  Repetition,
  endsInCommand,
  extract,
  isCut,
  hasFence,
  rescue,
  type Rescued,
  tidy,
  withThoughts,
  type CutAnswer,
  type Dialect,
  type GoalLine,
} from '@aish/prompt';
import { definitionOf, named, type Definition, type Toolbox } from '@aish/tools';
import { actionTools, asCalls, dialectOf } from './action-tools.js';
import { ModelProgress } from './model-progress.js';

export interface ModelPorts {
  readonly asker: Asker;
  readonly toolbox: Toolbox;
  /** Returns whether the configuration allows the tool with this label without asking. */
  readonly autoApproves: (label: string) => boolean;
}

/** The parts of one request. */
export interface ModelQuestion {
  readonly of: 'goal' | 'chat';
  /**
   * Whether the chat is about a goal. If so, the request offers the same action tools as the goal's own requests, so that
   * the endpoint can reuse its prompt cache.
   */
  readonly isAboutGoal?: boolean;
  /** How the model should act. Default: as its capabilities say. */
  readonly dialect?: Dialect;
  readonly preset: Preset;
  readonly seed?: number | null;
  /** The stream by which another runner finds the answer if this one dies. */
  readonly stream?: AnswerStream;
  readonly specs: readonly ToolSpec[];
  /**
   * Descriptions of tools from earlier requests. A request describes at least these, so that the prompt cache stays
   * valid.
   */
  readonly offered: readonly Definition[];
  /** Names of tools that the model has found since the earlier requests. */
  readonly wanted: readonly string[];
  /** The maximum share of the context window for descriptions of tools. */
  readonly toolShare: number;
  readonly turns: readonly ShownTurn[];
  /** Builds the messages for the part of the window that the descriptions of tools leave. */
  readonly messages: (window: ModelWindow) => readonly ChatMessage[];
}

/** The input for the messages to the model that answers. */
interface ModelWindow {
  /** The turns as this model sees them. */
  readonly turns: readonly ShownTurn[];
  readonly budgetTokens: number;
  readonly tokensOf: (text: string) => number;
  /** The tools that the request describes in addition to aish's own actions. */
  readonly tools: readonly Definition[];
  readonly dialect: Dialect;
}

/** An answer that aish understood. Its calls use the full names of tools. */
export interface ModelAnswer extends Understood {
  readonly actions: readonly NewAction[];
  readonly goalLine: GoalLine | null;
  /** Why the answer is incomplete or useless. Text that was cut off inside a command asks for nothing. */
  readonly cut: CutAnswer | null;
}

export interface ModelReply {
  /** The answer; null if none came. */
  readonly answer: ModelAnswer | null;
  /** Why no answer came; null if one did. */
  readonly failure: AishError | null;
  /** The tools that the request described. The list only grows. */
  readonly offered: readonly Definition[];
}

/** A note for the person. The model gets the same information in the conversation. */
const LEFT_OUT_NOTE = 'the model did not see the oldest turns: the session is longer than its context';
const NOT_RUN_NOTE = 'nothing was run: to run this, answer "run it"';
/** The minimum room for the conversation, in tokens. */
const MESSAGES_MIN_TOKENS = 128;

/** The parts of a request to the model that answers it. */
interface Composed {
  /** The tools of servers and of aish that the request describes. */
  readonly offered: readonly Definition[];
  /** aish's own actions, for a model that calls them as tools. */
  readonly actions: readonly ToolSpec[];
  /** Whether the request omits turns. */
  readonly leavesOut: boolean;
}

/** @param composed receives the parts of each request that is built. */
export function requestOf(
  question: ModelQuestion,
  { toolbox, autoApproves }: Pick<ModelPorts, 'toolbox' | 'autoApproves'>,
  composed: (made: Composed) => void,
): AskRequest {
  const { preset, seed = null, stream, of, specs, wanted, toolShare } = question;
  return {
    preset,
    ...(seed === null ? {} : { seed }),
    ...(stream === undefined ? {} : { stream }),
    compose: ({ budgetTokens, tokensOf, capabilities }) => {
      const share = Math.floor((capabilities.contextTokens ?? budgetTokens) * toolShare);
      const room = { budgetTokens: share, tokensOf, autoApproves };
      const offered = toolbox.choose(specs, question.offered, wanted, room).definitions;
      const dialect = question.dialect ?? dialectOf(capabilities);
      const actions = actionTools(question.isAboutGoal === true ? 'goal' : of, dialect);
      const tools = [...actions.map(definitionOf), ...offered];
      const taken = tools.reduce((sum, tool) => sum + tokensOf(jsonTextOf(tool)), 0);
      const left = Math.max(MESSAGES_MIN_TOKENS, budgetTokens - taken);
      const thoughtful = withThoughts(question.turns, capabilities.thoughts ?? 'none');
      const turns = dialect === 'tools' ? asCalls(thoughtful) : thoughtful;
      const messages = question.messages({ turns, budgetTokens: left, tokensOf, tools: offered, dialect });
      composed({ offered, actions, leavesOut: isCut(messages) });
      return { messages, tools };
    },
  };
}

/**
 * Asks a model once. `onChunk` gets the answer as it arrives. `progress` gets the model's activity once a second.
 *
 * @throws every error that is not an AishError.
 */
export async function askModel(
  question: ModelQuestion,
  { asker, toolbox, autoApproves }: ModelPorts,
  onChunk: (chunk: Exclude<AskChunk, { type: 'understood' }>) => void,
  progress: (progress: LiveProgress) => void,
  signal: AbortSignal,
): Promise<ModelReply> {
  const { of, specs } = question;
  let made: Composed = { offered: question.offered, actions: [], leavesOut: false };
  const request = requestOf(question, { toolbox, autoApproves }, (composed) => (made = composed));
  const chunks = asker.ask(request, signal);
  let guard = new AnswerGuard();
  let reasoning = '';
  let repetition = new Repetition();
  let repeated: 'repeats' | 'thought-repeats' | null = null;
  let understood: Understood | null = null;
  const doing = new ModelProgress(progress);
  try {
    for await (const chunk of chunks) {
      doing.add(chunk);
      if (chunk.type === 'understood') understood = chunk.answer;
      else if (chunk.type !== 'text') {
        if (chunk.type === 'again') [guard, reasoning, repetition] = [new AnswerGuard(), '', new Repetition()];
        if (chunk.type === 'reasoning') reasoning += chunk.text;
        onChunk(chunk);
        if (chunk.type === 'reasoning' && repetition.add(chunk.text) !== null) repeated = 'thought-repeats';
        // A text that a call writes into a file may contain longer repetitions.
        const isCall = chunk.type === 'toolCall';
        if (isCall && repetition.add(chunk.argumentsDelta, IN_COMMAND_FACTOR) !== null) repeated = 'repeats';
        if (repeated !== null) break;
      } else {
        const text = guard.add(chunk.text);
        if (text !== '') onChunk({ type: 'text', text });
        // Leaving the loop ends the request. Without that, the model would write until its limit.
        if (guard.cut !== null) break;
      }
    }
  } catch (error) {
    if (!isAishError(error)) throw error;
    return { answer: null, failure: error, offered: made.offered };
  } finally {
    doing.stop();
  }
  const text = guard.end();
  if (text !== '') onChunk({ type: 'text', text });
  const ended = { ...endOf(guard), cut: guard.cut ?? repeated };
  if (ended.cut !== null) understood = { ...CUT_OFF, ...understood, reasoning, text: guard.text };
  if (understood === null) return { answer: null, failure: null, offered: made.offered };
  if (made.leavesOut) understood = { ...understood, notes: [...understood.notes, LEFT_OUT_NOTE] };
  // Missing arguments are reported for calls of aish's actions as for any other tool.
  const known = [...made.actions, ...specs];
  return { answer: readAnswer(understood, known, toolbox, ended, of), failure: null, offered: made.offered };
}

/** The answer for a request that ended before the server said how it ended. */
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

function endOf({ isInCommand, isInHereDocument }: AnswerGuard): Omit<Ended, 'cut'> {
  return { isInCommand, isInHereDocument };
}

const CUT_NOTES: Readonly<Record<CutAnswer, string>> = {
  invented: 'cut where it began to invent a result',
  repeats: 'cut because it repeated itself',
  'thought-repeats': 'cut because its thoughts repeated themselves',
  'in-command': 'cut by the limit inside a command, which was not run',
  unclosed: 'a here-document was never closed; nothing was run',
  unreadable: 'it could not be read',
  'in-fences': 'its code fences do not say which one command to run',
  thinking: 'it only thought',
  empty: 'it was empty',
};

/** How an answer ended, as far as its text shows. */
interface Ended extends Pick<AnswerGuard, 'isInCommand' | 'isInHereDocument'> {
  readonly cut: CutAnswer | null;
}

/**
 * Reads the requests in an answer, from its lines and its calls. In a goal, a single action also counts in another
 * form. In a chat, a fence is a proposal to the person.
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
  // aish never judges half a command, because nobody knows how it would have continued.
  if (found === 'in-command' || found === 'unclosed') {
    const notes = [...understood.notes, CUT_NOTES[found]];
    return { ...understood, notes, toolCalls: [], goalLine: null, actions: [], cut: found };
  }
  const read = withCommands(understood, specs, of);
  const { commands, goalLine } = extract(read.text);
  const toolCalls = named(read.toolCalls, specs);
  const actions = newActions(commands, toolCalls, specs, toolbox);
  // An answer that its endpoint could not read may still contain a request.
  const hasAction = actions.length > 0 || goalLine !== null;
  const unread = of === 'goal' && found === null && !read.isSchemaEcho && hasFence(read.text) ? 'in-fences' : found;
  const cut = hasAction && (unread === 'unreadable' || unread === 'in-fences') ? null : unread;
  const notes = cut === null ? read.notes : [...read.notes, CUT_NOTES[cut]];
  return { ...read, notes, toolCalls, goalLine, actions, cut };
}

/** Removes thoughts, stop tokens, role names, and turns that the model invented from the text. */
function withoutStray(understood: Understood): Understood {
  const { text, thoughts } = tidy(understood.text, endsInCommand);
  const reasoning = [understood.reasoning, thoughts].filter((each) => each !== '').join('\n');
  return { ...understood, text, reasoning };
}

/**
 * Writes the actions of calls as lines, and a single action in another form as a line. The record contains only lines.
 */
function withCommands(understood: Understood, specs: readonly ToolSpec[], of: 'goal' | 'chat'): Understood {
  const isTool = (name: string): boolean =>
    specs.some((spec) => !ACTION_NAMES.has(spec.name) && (spec.name === name || spec.label === name));
  const called = understood.toolCalls.map((call) => ({ call, lines: isTool(call.name) ? null : linesOf(call, of) }));
  const lines = called.flatMap((each) => (each.lines === null ? [] : [each.lines]));
  if (lines.length > 0) {
    // The words after the line that ends a goal belong to that line, so it comes last.
    const inOrder = lines.toSorted((a, b) => Number(a.startsWith('GOAL:')) - Number(b.startsWith('GOAL:')));
    const text = [understood.text.trimEnd(), ...inOrder].filter((each) => each !== '').join('\n');
    const toolCalls = called.flatMap((each) => (each.lines === null ? [each.call] : []));
    const isDescribed = called.every(({ call }) => specs.some(({ name }) => name === call.name));
    const notes = isDescribed ? understood.notes : [...understood.notes, 'read an action out of a call'];
    return { ...understood, text, toolCalls, notes };
  }
  const { commands, goalLine } = extract(understood.text);
  const hasAction =
    commands.length + understood.toolCalls.length > 0 || (goalLine !== null && goalLine.kind !== 'check');
  if (hasAction || understood.finishReason === 'length') return understood;
  const rescued = (of === 'goal' ? callInFence(understood.text, specs) : null) ?? rescue(understood.text);
  if (rescued === null) return understood;
  // In a chat, code and sentences may be examples for the person. Only a mark such as `**CMD:** ls` asks for a run.
  const isMarked = /^a (marked line|tag)$/.test(rescued.from) && /^\W*cmd\W/im.test(understood.text);
  if (of === 'chat' && !isMarked) {
    return extract(rescued.text).commands.length === 0
      ? understood
      : { ...understood, notes: [...understood.notes, NOT_RUN_NOTE] };
  }
  return { ...understood, text: rescued.text, notes: [...understood.notes, `read an action out of ${rescued.from}`] };
}

/**
 * Finds a call, or an object with a command, in the only fence of an answer or in the whole answer. In a goal, this is
 * not just an example.
 */
function callInFence(text: string, specs: readonly ToolSpec[]): Rescued | null {
  const fences = [...text.matchAll(/^```\w*[ \t]*\r?\n([\s\S]*?)^```[ \t]*$/gm)];
  const [fence] = fences;
  if (fences.length > 1) return null;
  const body = (fence?.[1] ?? text).trim();
  const others = new Set(specs.map(({ name }) => name).filter((name) => !ACTION_NAMES.has(name)));
  const names = new Set([...ACTION_CALLS].filter((name) => !others.has(name)));
  const { calls } = salvage(body, names);
  const [call, another] = calls.length > 0 ? calls : commandIn(body);
  const lines = call === undefined || another !== undefined ? null : linesOf({ id: '', ...call }, 'goal');
  return lines === null
    ? null
    : { text: fence === undefined ? lines : text.replace(fence[0], () => lines), from: 'JSON' };
}

function commandIn(body: string): readonly Omit<ToolCall, 'id'>[] {
  const command = body.startsWith('{') ? readObject(body)?.value['command'] : undefined;
  return typeof command === 'string' ? [{ name: 'run', arguments: JSON.stringify({ command }) }] : [];
}

const ACTION_NAMES: ReadonlySet<string> = new Set(actionTools('goal', 'tools').map(({ name }) => name));

/** Returns the lines with the same meaning as a call of an action, or null if the lines would mean something else. */
function linesOf(call: ToolCall, of: 'goal' | 'chat'): string | null {
  const action = actionOfCall(call);
  if (action === null) return null;
  // A chat has no end, so the text of its model is for the person.
  if (of === 'chat' && action.kind === 'finish') return asWords(action.answer);
  if (of === 'chat' && action.kind === 'ask') return asWords(action.question);
  if (action.kind === 'finish') return linesOfAction({ kind: 'finish', answer: asWords(withoutEnd(action.answer)) });
  if (action.kind === 'ask') return linesOfAction({ kind: 'ask', question: asWords(action.question) });
  const lines = linesOfAction(action);
  const { commands } = extract(lines);
  return commands.length === 1 && `CMD: ${commands[0]}` === lines ? lines : null;
}

function withoutEnd(answer: string): string {
  return answer.replace(/^\s*GOAL:\s*complete\b[.:!\s-]*/i, '');
}

/** Changes the text so that no line of it is an action. */
function asWords(text: string): string {
  return text.replaceAll(/^\s*(?=(?:CMD|GOAL|NEED):)/gm, '- ');
}

function cutOf(
  { text, reasoning, toolCalls, finishReason }: Understood,
  { cut, isInCommand, isInHereDocument }: Ended,
): CutAnswer | null {
  if (cut !== null) return cut;
  const isLimit = finishReason === 'length';
  // Nobody knows which part of the last call is missing.
  if (toolCalls.length > 0) return isLimit ? 'in-command' : null;
  if (text.trim() === '') return reasoning !== '' ? 'thinking' : 'empty';
  if (isLimit && isInCommand) return 'in-command';
  return isInHereDocument ? 'unclosed' : null;
}
