import { inAllLines } from '@aish/contracts/effect-lines';
import { partsWithout, type Part } from './answer.parts.js';
import { formatVerdict, kindLabel, markGuilty } from './decision.format.js';
import { formatDuration } from './duration.format.js';
import type { ActionEntry, AnswerEntry, Entry, Halt, HaltAnswer, StepEntry, Thinking } from './entries.js';
import { formatEnding, formatUsage, stateLook } from './goal.format.js';
import { formatProgress } from './progress.format.js';
import { plural } from './plural.js';
import { line, span, textOf, type Line, type Span, type Style } from './line.js';
import { cleanText, colouredText, oneLine } from './sanitise.js';
import { formatNews, type ToolNews } from './tool-news.format.js';

/** What an entry of a timeline says, piece by piece, in order. A client lays the pieces out; it adds and leaves out nothing. */
export type Piece = Gap | Text | Body | Thought | Output;

/** A blank line. */
export interface Gap {
  readonly as: 'gap';
}

/** Clean text; line breaks may stand in any span. */
export interface Text {
  readonly as: 'text';
  /** Whose words they are, where they are not aish's own. */
  readonly by?: 'person' | 'model' | 'output';
  readonly spans: Line;
  /** How far it belongs to what stands above it, 0 to 2. */
  readonly depth: number;
  /** Before its first line, and as much room before the others. */
  readonly lead?: Span;
  /** Before each of its lines. */
  readonly rail?: string;
  /** How many tokens it took, shown on request at the end of its line. */
  readonly cost?: string;
  /** One line, cut where there is no room. */
  readonly isCut?: boolean;
  /** What a person looks for first: `HALT`, the command, how it ended. */
  readonly role?: 'title' | 'command' | 'halt' | 'ending' | 'message';
}

/** What a model wrote. */
export interface Body {
  readonly as: 'body';
  /** Names it while it grows. */
  readonly key: string;
  /** All of it, cleaned. */
  readonly text: string;
  readonly parts: readonly Part[];
  readonly isStreaming: boolean;
  readonly thinking: Thinking | undefined;
}

/** What a model thought; folded unless it is open. */
export interface Thought {
  readonly as: 'thought';
  /** Clean, and not blank. */
  readonly text: string;
  readonly isOpen: boolean;
  /** The line that is shown while it is folded. */
  readonly about: string;
}

/** What a command printed or a tool answered, cleaned. */
export interface Output {
  readonly as: 'output';
  readonly text: string;
  /** The same with the colours that the command chose. */
  readonly spans: Line;
  readonly omittedBytes: number;
  /** The action whose whole output can be read; null where this is all there is. */
  readonly wholeOf: string | null;
}

const GAP: Gap = { as: 'gap' };

/** The pieces of one entry. The same entry always has the same. */
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
    case 'note':
      return [textPiece(oneLine(entry.text), 'warn', 1)];
    case 'wait':
      return [textPiece(`waits for the ${entry.for}: ${oneLine(entry.reason)}`, 'warn', 1)];
    case 'end': {
      const { symbol, style } = stateLook(entry.state);
      return [
        GAP,
        cut(line(`${symbol} ${entry.state}`, style === 'dim' ? 'bold' : style), 0, 'ending'),
        ...(entry.text === '' ? [] : [textPiece(cleanText(entry.text), 'plain', 1, { by: 'model' })]),
        ...inAllLines(entry.effects).map((each) => textPiece(cleanText(each), 'warn', 1)),
      ];
    }
  }
}

function stepPieces(entry: StepEntry): readonly Piece[] {
  const { n, stepBudget, isStreaming, usage, reasoning = '', notes = [], thinking, progress = null } = entry;
  const title = span(`step ${n}${stepBudget === null ? '' : `/${stepBudget}`}`, 'accent');
  const cost = isStreaming ? '' : formatUsage(usage);
  const doing = progress === null ? 'the model writes' : formatProgress(progress);
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
  const fallback = `${oneLine(fallbackFrom ?? '')} cannot answer; ${oneLine(entry.preset)} does`;
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
  length: 'cut off at the longest answer',
  stopped: 'stopped',
  interrupted: 'interrupted',
  failed: 'broken off',
};

function endOfAnswer({ end, usage, totalMs, model }: AnswerEntry): Text {
  const how = end === null ? undefined : ANSWER_ENDS[end];
  const about = [model === null ? '' : oneLine(model), totalMs === null ? '' : formatDuration(totalMs)];
  const shown = about.filter((part) => part !== '').join(' · ');
  const cost = typeof usage?.completionTokens === 'number' ? `${usage.completionTokens} tokens` : '';
  const told = cut([span(how === undefined ? '' : `${how} · `, 'warn'), span(shown, 'dim')], 1);
  return cost === '' ? told : { ...told, cost };
}

function body(
  key: string,
  {
    text: said,
    isStreaming,
    thinking,
    commands = [],
  }: Pick<StepEntry, 'text' | 'isStreaming' | 'thinking' | 'commands'>,
): readonly Body[] {
  if (said.trim() === '') return [];
  const parts = partsWithout(isStreaming ? said : said.trim(), commands);
  return [{ as: 'body', key, text: cleanText(said).trim(), parts, isStreaming, thinking }];
}

/** Of English prose; models tell no number for what they think. */
const CHARS_PER_TOKEN = 4;

/** A thought as a piece; none where it says nothing. */
export function thought(said: string, isOpen: boolean, thinking: Thinking | undefined): readonly Thought[] {
  const clean = cleanText(said).trim();
  if (clean === '') return [];
  const tokens = Math.ceil(clean.length / CHARS_PER_TOKEN);
  const time = thinking === undefined ? '' : `, ${formatDuration(thinking.toMs - thinking.fromMs)}`;
  return [{ as: 'thought', text: clean, isOpen, about: `thought for about ${plural(tokens, 'token')}${time}` }];
}

function actionPieces(entry: ActionEntry): readonly Piece[] {
  return [
    commandPiece(entry),
    ...(entry.halt === null ? [] : haltPieces(entry.halt)),
    ...(entry.news ?? []).map((news) => newsPiece(news)),
    ...output(entry),
    ...endOfAction(entry),
  ];
}

/** A command as it is run, or a call, with its guilty part marked. */
export function commandPiece(action: Pick<ActionEntry, 'kind' | 'command' | 'classification'>): Text {
  const { kind, command, classification } = action;
  const isRisky = classification !== null && classification.verdict !== 'safe';
  const sign = span(kind === 'command' ? '$ ' : '⚙ ', 'accent');
  const spans = [sign, ...markGuilty(command, isRisky ? classification : null)];
  return { as: 'text', spans, depth: 1, role: 'command' };
}

function output({ actionId, kind, output: printed, outcome, result }: ActionEntry): readonly Output[] {
  const spans = colouredText(printed.replace(/[\r\n]+$/, ''));
  const clean = textOf(spans).replace(/\n+$/, '');
  const omittedBytes = (outcome ?? result)?.omittedBytes ?? 0;
  const wholeOf = kind === 'command' && omittedBytes > 0 ? actionId : null;
  return clean === '' ? [] : [{ as: 'output', text: clean, spans, omittedBytes, wholeOf }];
}

function endOfAction({ state, outcome, result, reason }: ActionEntry): readonly Text[] {
  const ending = (said: string, style: Style): Text[] => [textPiece(said, style, 2, { role: 'ending' })];
  if (outcome !== null || result !== null) {
    const { text: said, isGood } = formatEnding({ outcome, result });
    return ending(said, isGood ? 'good' : 'bad');
  }
  if (state === 'running') return ending('runs…', 'dim');
  if (state === 'skipped') return ending(`not run: ${oneLine(reason ?? 'skipped')}`, 'warn');
  if (state === 'lost') return ending('lost: nobody knows how it ended; it is not run again', 'bad');
  return [];
}

function haltPieces({ number, kind, reason, answer }: Halt): readonly Text[] {
  const label = kind === 'halt' ? span(' HALT ', 'alarm') : span(kindLabel(kind).toLowerCase(), 'warn');
  const spans = [label, span(` d-${number}: ${oneLine(reason)}`, 'bad')];
  const halt: Text = { as: 'text', spans, depth: 2, role: 'halt' };
  return answer === null ? [halt] : [halt, textPiece(answerText(answer), 'warn', 2)];
}

/** What a person answered, or why nobody did. */
export function answerText(answer: HaltAnswer): string {
  if (answer === 'withdrawn') return 'withdrawn: what it held up ended first';
  return formatVerdict({ ...answer, state: 'decided', decidedBy: answer.by }) ?? '';
}

/** What a server says of itself while one of its tools is called. */
export function newsPiece(news: ToolNews): Text {
  return textPiece(formatNews(news), 'dim', 2, { rail: '┊ ', by: 'output' });
}

/** Clean text in one style. */
export function textPiece(said: string, style: Style, depth: number, how: Partial<Text> = {}): Text {
  return { as: 'text', spans: [span(said, style)], depth, ...how };
}

function cut(spans: Line, depth = 0, role?: Text['role']): Text {
  return { as: 'text', spans, depth, isCut: true, ...(role === undefined ? {} : { role }) };
}
