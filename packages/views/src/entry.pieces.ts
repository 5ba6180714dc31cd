import { totalChangeLines } from '@aish/contracts/effect-lines';
import { partsWithout, type Part } from './answer.parts.js';
import { formatVerdict, kindLabel, markGuilty } from './decision.format.js';
import { formatDuration } from './duration.format.js';
import type { ActionEntry, AnswerEntry, Entry, Halt, HaltAnswer, OwnEntry, StepEntry, Thinking } from './entries.js';
import { formatEnding, formatUsage, stateLook } from './goal.format.js';
import { formatProgress } from './progress.format.js';
import { plural } from '@aish/contracts/plural';
import { line, span, textOf, type Line, type Span, type Style } from './line.js';
import { cleanText, colouredText, oneLine, showExact } from './sanitise.js';
import { formatNews, type ToolNews } from './tool-news.format.js';

/**
 * The content of an entry, piece by piece, in order. A client only lays out the pieces. It neither adds nor omits any.
 */
export type Piece = Gap | Text | Body | Thought | Output;

/** A blank line. */
export interface Gap {
  readonly as: 'gap';
}

/** Clean text. Spans may contain line breaks. */
export interface Text {
  readonly as: 'text';
  /** The author of the text, if it is not aish. */
  readonly by?: 'person' | 'model' | 'output';
  readonly spans: Line;
  /** The indentation relative to the text above, from 0 to 2. */
  readonly depth: number;
  /** A text before the first line. The other lines are indented by its width. */
  readonly lead?: Span;
  /** A text before each line. */
  readonly rail?: string;
  /** The tokens of the answer, shown on request at the end of the line. */
  readonly cost?: string;
  /** Whether the text is one line, which is cut if there is no room. */
  readonly isCut?: boolean;
  /** The role of text that a person looks for first: `HALT`, the command, its end. */
  readonly role?: 'title' | 'command' | 'halt' | 'ending' | 'message';
}

/** Text of a model. */
export interface Body {
  readonly as: 'body';
  /** Identifies the text while it grows. */
  readonly key: string;
  /** The whole text, cleaned. */
  readonly text: string;
  readonly parts: readonly Part[];
  readonly isStreaming: boolean;
  readonly thinking: Thinking | undefined;
}

/** A thought of a model. It is folded unless it is open. */
export interface Thought {
  readonly as: 'thought';
  /** The text of the thought, which is clean and not blank. */
  readonly text: string;
  readonly isOpen: boolean;
  /** The line that is shown while the thought is folded. */
  readonly about: string;
}

/** Output of a command or answer of a tool, cleaned. */
export interface Output {
  readonly as: 'output';
  readonly text: string;
  /** The text of the output in the command's colours. */
  readonly spans: Line;
  readonly omittedBytes: number;
  /** The action whose whole output can be read; null if this is all of it. */
  readonly wholeOf: string | null;
}

const GAP: Gap = { as: 'gap' };

/** Returns the pieces of an entry. The same entry always gives the same pieces. */
export function entryPieces(entry: Entry): readonly Piece[] {
  switch (entry.type) {
    case 'goal':
      return [
        cut(
          line(`goal ${entry.number} · ${oneLine(entry.preset)} · up to ${plural(entry.stepBudget, 'step')}`, 'accent'),
        ),
        textPiece(cleanText(entry.text), 'bold', 1, { role: 'title', by: 'person' }),
      ];
    case 'step':
      return stepPieces(entry);
    case 'message':
      return [
        GAP,
        textPiece(cleanText(entry.text), 'bold', 0, { lead: span('› ', 'accent'), role: 'message', by: 'person' }),
      ];
    case 'answer':
      return answerPieces(entry);
    case 'trouble':
      return [textPiece(oneLine(entry.text), entry.isBad ? 'bad' : 'warn', 1)];
    case 'action':
      return actionPieces(entry);
    case 'own':
      return ownPieces(entry);
    case 'note':
      return [textPiece(oneLine(entry.text), 'warn', 1)];
    case 'wait':
      return [textPiece(`waiting for the ${entry.for}: ${oneLine(entry.reason)}`, 'warn', 1)];
    case 'end': {
      const { symbol, style } = stateLook(entry.state);
      return [
        GAP,
        cut(line(`${symbol} ${entry.state}`, style === 'dim' ? 'bold' : style), 0, 'ending'),
        ...(entry.text === '' ? [] : [textPiece(cleanText(entry.text), 'plain', 1, { by: 'model' })]),
        ...totalChangeLines(entry.effects).map((each) => textPiece(cleanText(each), 'warn', 1)),
      ];
    }
  }
}

function stepPieces(entry: StepEntry): readonly Piece[] {
  const { n, stepBudget, isStreaming, usage, reasoning = '', notes = [], thinking, progress = null } = entry;
  const title = span(`step ${n}${stepBudget === null ? '' : `/${stepBudget}`}`, 'accent');
  const cost = isStreaming ? '' : formatUsage(usage);
  const doing = progress === null ? 'the model is writing' : formatProgress(progress);
  const head = cut([title, span(isStreaming ? ` · ${doing}` : '', 'dim')], 0, 'title');
  return [
    GAP,
    cost === '' ? head : { ...head, cost },
    ...thought(reasoning, isStreaming && entry.text === '', thinking),
    ...body(`step ${n}`, entry),
    ...notes.map((note) => textPiece(oneLine(note), 'dim', 1)),
  ];
}

function answerPieces(entry: AnswerEntry): readonly Piece[] {
  const { exchange, step, reasoning, isStreaming, doing, notes, fallbackFrom, thinking, progress = null } = entry;
  const fallback = `${oneLine(fallbackFrom ?? '')} cannot answer, so ${oneLine(entry.preset)} does`;
  const does = doing === null && progress !== null ? formatProgress(progress) : doing;
  const waits = does === null ? (entry.text === '' ? '…' : null) : `${oneLine(does)} …`;
  return [
    ...(fallbackFrom === null ? [] : [cut(line(fallback, 'warn'), 1)]),
    ...thought(reasoning, isStreaming && entry.text === '', thinking),
    ...body(`chat ${exchange} ${step}`, entry),
    ...((isStreaming || doing !== null) && waits !== null ? [cut(line(waits, 'dim'), 1)] : []),
    ...notes.map((note) => textPiece(oneLine(note), 'warn', 1)),
    ...(isStreaming ? [] : [endOfAnswer(entry)]),
  ];
}

const ANSWER_ENDS: Readonly<Record<string, string>> = {
  length: 'cut off at the maximum length',
  stopped: 'stopped',
  interrupted: 'interrupted',
  failed: 'ended by an error',
};

function endOfAnswer({ end, usage, totalMs, model }: AnswerEntry): Text {
  const how = end === null ? undefined : ANSWER_ENDS[end];
  const about = [model === null ? '' : oneLine(model), totalMs === null ? '' : formatDuration(totalMs)];
  const shown = about.filter((part) => part !== '').join(' · ');
  const cost = typeof usage?.completionTokens === 'number' ? `${usage.completionTokens} tokens` : '';
  const piece = cut([span(how === undefined ? '' : `${how} · `, 'warn'), span(shown, 'dim')], 1);
  return cost === '' ? piece : { ...piece, cost };
}

function body(
  key: string,
  {
    text: written,
    isStreaming,
    thinking,
    commands = [],
  }: Pick<StepEntry, 'text' | 'isStreaming' | 'thinking' | 'commands'>,
): readonly Body[] {
  if (written.trim() === '') return [];
  const parts = partsWithout(isStreaming ? written : written.trim(), commands);
  return [{ as: 'body', key, text: cleanText(written).trim(), parts, isStreaming, thinking }];
}

/** The typical value for English prose. Models report no number of tokens for thoughts. */
const CHARS_PER_TOKEN = 4;

/** Returns a thought as a piece, or nothing if it is blank. */
export function thought(text: string, isOpen: boolean, thinking: Thinking | undefined): readonly Thought[] {
  const clean = cleanText(text).trim();
  if (clean === '') return [];
  const tokens = Math.ceil(clean.length / CHARS_PER_TOKEN);
  const time = thinking === undefined ? '' : `, ${formatDuration(thinking.toMs - thinking.fromMs)}`;
  return [{ as: 'thought', text: clean, isOpen, about: `thought for about ${plural(tokens, 'token')}${time}` }];
}

function actionPieces(entry: ActionEntry): readonly Piece[] {
  return [
    ...proposedPieces(entry),
    commandPiece(entry),
    ...(entry.halt === null ? [] : haltPieces(entry.halt)),
    ...(entry.news ?? []).map((news) => newsPiece(news)),
    ...output(entry),
    ...endOfAction(entry),
    ...(entry.undoneBy === undefined ? [] : [textPiece(`undone by ${oneLine(entry.undoneBy)}`, 'warn', 2)]),
  ];
}

/** A person's command, with the sign that they typed. */
function ownPieces({ command, output: printed, outcome, reason, state: now }: OwnEntry): readonly Piece[] {
  const state = now === 'ended' ? 'finished' : now;
  return [
    GAP,
    textPiece(showExact(command), 'bold', 0, { lead: span('! ', 'accent'), role: 'command', by: 'person' }),
    ...output({ actionId: '', kind: 'tool', output: printed, outcome, result: null }),
    ...(reason === null ? [] : [textPiece(oneLine(reason), 'bad', 2, { role: 'ending' })]),
    ...endOfAction({ state, outcome, result: null, reason: null }),
  ];
}

/** The action that the model proposed, above the one that a person had run in its place. */
function proposedPieces({ proposed, kind }: ActionEntry): readonly Text[] {
  if (proposed === undefined) return [];
  return [
    textPiece('the model proposed:', 'dim', 1),
    commandPiece({ kind, command: proposed, classification: null }),
    textPiece('this ran instead:', 'dim', 1),
  ];
}

/** Returns an exact command or a call, with its objectionable part marked. */
export function commandPiece(action: Pick<ActionEntry, 'kind' | 'command' | 'classification'>): Text {
  const { kind, command, classification } = action;
  const isRisky = classification !== null && classification.verdict !== 'safe';
  const sign = span(kind === 'command' ? '$ ' : '⚙ ', 'accent');
  const spans = [sign, ...markGuilty(command, isRisky ? classification : null)];
  return { as: 'text', spans, depth: 1, role: 'command' };
}

function output({
  actionId,
  kind,
  output: printed,
  outcome,
  result,
}: Pick<ActionEntry, 'actionId' | 'kind' | 'output' | 'outcome' | 'result'>): readonly Output[] {
  const spans = colouredText(printed.replace(/[\r\n]+$/, ''));
  const clean = textOf(spans).replace(/\n+$/, '');
  const omittedBytes = (outcome ?? result)?.omittedBytes ?? 0;
  const wholeOf = kind === 'command' && omittedBytes > 0 ? actionId : null;
  return clean === '' ? [] : [{ as: 'output', text: clean, spans, omittedBytes, wholeOf }];
}

/** The text for a command whose goal was paused. The command may have ended, and nobody has read its result yet. */
export const LEFT_RUNNING = 'started; aish reads its result when the goal continues';

function endOfAction({
  state,
  outcome,
  result,
  reason,
}: Pick<ActionEntry, 'state' | 'outcome' | 'result' | 'reason'>): readonly Text[] {
  const ending = (text: string, style: Style): Text[] => [textPiece(text, style, 2, { role: 'ending' })];
  if (outcome !== null || result !== null) {
    const { text: endingText, isGood } = formatEnding({ outcome, result });
    return ending(endingText, isGood ? 'good' : 'bad');
  }
  if (state === 'running') return ending('running…', 'dim');
  if (state === 'left') return ending(LEFT_RUNNING, 'dim');
  if (state === 'skipped') return ending(`not run: ${oneLine(reason ?? 'skipped')}`, 'warn');
  if (state === 'lost') return ending('lost: its outcome is unknown; aish does not run it again', 'bad');
  return [];
}

function haltPieces({ number, kind, reason, answer }: Halt): readonly Text[] {
  const label = kind === 'halt' ? span(' HALT ', 'alarm') : span(kindLabel(kind).toLowerCase(), 'warn');
  const spans = [label, span(` d${number}: ${oneLine(reason)}`, 'bad')];
  const halt: Text = { as: 'text', spans, depth: 2, role: 'halt' };
  return answer === null ? [halt] : [halt, textPiece(answerText(answer), 'warn', 2)];
}

/** Formats a person's answer, or the reason why there is none. */
export function answerText(answer: HaltAnswer): string {
  if (answer === 'withdrawn') return 'withdrawn: no longer needed';
  return formatVerdict({ ...answer, state: 'decided', decidedBy: answer.by }) ?? '';
}

/** Formats a server's progress or log during a call. */
export function newsPiece(news: ToolNews): Text {
  return textPiece(formatNews(news), 'dim', 2, { rail: '┊ ', by: 'output' });
}

/** Makes a piece of clean text in one style. */
export function textPiece(text: string, style: Style, depth: number, how: Partial<Text> = {}): Text {
  return { as: 'text', spans: [span(text, style)], depth, ...how };
}

function cut(spans: Line, depth = 0, role?: Text['role']): Text {
  return { as: 'text', spans, depth, isCut: true, ...(role === undefined ? {} : { role }) };
}
