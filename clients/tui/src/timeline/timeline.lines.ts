import { inAllLines } from '@aish/contracts/effects';
import { formatEnding, formatUsage, plural, stateLook } from '@aish/views/goal.format';
import { formatVerdict, kindLabel, markGuilty } from '@aish/views/decision.format';
import { formatNews } from '@aish/views/tool-news.format';
import { line, span, type Line } from '@aish/views/line';
import { cleanText, oneLine, showExact } from '@aish/views/sanitise';
import { wrapSpans, wrapText } from '../text/wrap.js';
import { growingMarkdownLines } from '../markdown/growing.markdown.js';
import { markdownLines } from '../markdown/markdown.lines.js';
import { partsWithout } from '@aish/views/answer.parts';
import { formatDuration } from '@aish/views/duration.format';
import type {
  ActionEntry,
  AnswerEntry,
  Entry,
  Halt,
  HaltAnswer,
  MessageEntry,
  StepEntry,
  Thinking,
  Timeline,
} from '@aish/views/entries';

export interface LayoutOptions {
  readonly width: number;
  /** Show outputs whole, as far as they are kept. */
  readonly isUnfolded: boolean;
}

/** Lines of output that are shown folded: so many of its beginning and of its end. */
const FOLD_HEAD = 4;
const FOLD_TAIL = 8;
const MAX_LINES = 20_000;
const INDENT = '  ';

// An entry that did not change keeps its lines: while text streams in, only the last entry is laid out again.
const cache = new WeakMap<Entry, { readonly options: LayoutOptions; readonly lines: readonly Line[] }>();

/** The timeline as lines of at most `width` cells, oldest first, the newest 20 000. */
export function timelineLines(timeline: Timeline, options: LayoutOptions): readonly Line[] {
  const lines = timeline.entries.flatMap((entry) => cachedLines(entry, options));
  const note = `… ${plural(timeline.dropped, 'older entry', 'older entries')} left out; aish show tells all of it`;
  const all = timeline.dropped > 0 ? [line(note, 'dim'), ...lines] : lines;
  return all.slice(-MAX_LINES);
}

function cachedLines(entry: Entry, options: LayoutOptions): readonly Line[] {
  const known = cache.get(entry);
  if (known?.options.width === options.width && known.options.isUnfolded === options.isUnfolded) return known.lines;
  const lines = entryLines(entry, options);
  cache.set(entry, { options, lines });
  return lines;
}

function entryLines(entry: Entry, options: LayoutOptions): readonly Line[] {
  switch (entry.type) {
    case 'goal':
      return [
        line(`goal ${entry.number} · ${oneLine(entry.preset)} · up to ${plural(entry.stepBudget, 'step')}`, 'accent'),
        ...wrapText(cleanText(entry.text), 'bold', options.width, { indent: '  ' }),
      ];
    case 'step':
      return stepLines(entry, options);
    case 'message':
      return messageLines(entry, options);
    case 'answer':
      return answerLines(entry, options);
    case 'trouble':
      return wrapText(oneLine(entry.text), entry.isBad ? 'bad' : 'warn', options.width, { indent: INDENT });
    case 'action':
      return actionLines(entry, options);
    case 'note':
      return wrapText(oneLine(entry.text), 'warn', options.width, { indent: '  ' });
    case 'wait':
      return wrapText(`waits for the ${entry.for}: ${oneLine(entry.reason)}`, 'warn', options.width, { indent: '  ' });
    case 'end': {
      const { symbol, style } = stateLook(entry.state);
      return [
        line(''),
        line(`${symbol} ${entry.state}`, style === 'dim' ? 'bold' : style),
        ...(entry.text === '' ? [] : wrapText(cleanText(entry.text), 'plain', options.width, { indent: '  ' })),
        ...inAllLines(entry.effects).flatMap((each) =>
          wrapText(cleanText(each), 'warn', options.width, { indent: '  ' }),
        ),
      ];
    }
  }
}

function messageLines({ text }: MessageEntry, { width }: LayoutOptions): Line[] {
  const lines = wrapText(cleanText(text), 'bold', width - 2);
  return [line(''), ...lines.map((each, index): Line => [span(index === 0 ? '› ' : '  ', 'accent'), ...each])];
}

function answerLines(entry: AnswerEntry, options: LayoutOptions): Line[] {
  const { exchange, step, text, reasoning, isStreaming, doing, notes, fallbackFrom } = entry;
  const { width, isUnfolded } = options;
  const lines: Line[] = [];
  if (fallbackFrom !== null)
    lines.push(line(`${INDENT}${oneLine(fallbackFrom)} cannot answer; ${oneLine(entry.preset)} does`, 'warn'));
  const isThinking = isStreaming && text === '';
  const thought = thoughtLines(reasoning, width - INDENT.length, {
    isUnfolded,
    isOpen: isThinking,
    thinking: entry.thinking,
  });
  lines.push(...thought.map((each): Line => [span(INDENT), ...each]));
  lines.push(...bodyLines(`chat ${exchange} ${step}`, entry, options));
  if (isStreaming && doing !== null) lines.push(line(`${INDENT}${oneLine(doing)} …`, 'dim'));
  if (isStreaming && doing === null && text === '') lines.push(line(`${INDENT}…`, 'dim'));
  for (const note of notes) lines.push(...wrapText(oneLine(note), 'warn', width, { indent: INDENT }));
  if (!isStreaming) lines.push(...endOfAnswer(entry));
  return lines;
}

const ANSWER_ENDS: Readonly<Record<string, string>> = {
  length: 'cut off at the longest answer',
  stopped: 'stopped',
  interrupted: 'interrupted',
  failed: 'broken off',
};

function endOfAnswer({ end, usage, totalMs, model }: AnswerEntry): Line[] {
  const how = end === null ? undefined : ANSWER_ENDS[end];
  const cost = [
    model === null ? '' : oneLine(model),
    typeof usage?.completionTokens === 'number' ? `${usage.completionTokens} tokens` : '',
    totalMs === null ? '' : formatDuration(totalMs),
  ].filter((part) => part !== '');
  return [[span(INDENT), span(how === undefined ? '' : `${how} · `, 'warn'), span(cost.join(' · '), 'dim')]];
}

/** What a model wrote, indented: Markdown, commands exactly as they will run, thoughts folded. `key` names it while it grows. */
function bodyLines(
  key: string,
  { text, isStreaming, thinking, commands = [] }: Pick<StepEntry, 'text' | 'isStreaming' | 'thinking' | 'commands'>,
  { width, isUnfolded }: LayoutOptions,
): Line[] {
  if (text.trim() === '') return [];
  const room = width - INDENT.length;
  const lines = partsWithout(isStreaming ? text : text.trim(), commands).flatMap((part, index): readonly Line[] => {
    switch (part.kind) {
      case 'exact':
        return part.text.split('\n').flatMap((each) => wrapSpans([span(showExact(each))], room, { exact: true }));
      case 'thought':
        return thoughtLines(part.text, room, { isUnfolded, isOpen: isStreaming && part.isOpen, thinking });
      case 'markdown': {
        const prose =
          isStreaming && part.isOpen
            ? growingMarkdownLines(`${key} ${index}`, part.text, room)
            : markdownLines(part.text, room);
        // Blank lines between prose and what it is not are no block of either.
        const before = index > 0 && /^\s*(\n|$)/.test(part.text) ? [line('')] : [];
        return [...before, ...prose, ...(prose.length > 0 && /\n\s*$/.test(part.text) ? [line('')] : [])];
      }
    }
  });
  return trimEnd(lines).map((each) => [span(INDENT), ...each]);
}

/** Lines of a thought that are shown while it comes. */
const THOUGHT_TAIL = 3;
/** Of English prose; models tell no number for what they think. */
const CHARS_PER_TOKEN = 4;

interface Thought {
  readonly isUnfolded: boolean;
  readonly isOpen: boolean;
  readonly thinking: Thinking | undefined;
}

function thoughtLines(text: string, width: number, { isUnfolded, isOpen, thinking }: Thought): readonly Line[] {
  const thought = cleanText(text).trim();
  if (thought === '') return [];
  const lines = wrapText(thought, 'dim', width);
  if (isUnfolded) return lines;
  if (isOpen) return lines.slice(-THOUGHT_TAIL);
  const tokens = Math.ceil(thought.length / CHARS_PER_TOKEN);
  const time = thinking === undefined ? '' : `, ${formatDuration(thinking.toMs - thinking.fromMs)}`;
  return [line(`thought for about ${plural(tokens, 'token')}${time} (Ctrl-O shows it)`, 'dim')];
}

function trimEnd(lines: readonly Line[]): readonly Line[] {
  return lines.slice(0, lines.findLastIndex((each) => each.some(({ text }) => text.trim() !== '')) + 1);
}

function stepLines(entry: StepEntry, options: LayoutOptions): Line[] {
  const { n, stepBudget, isStreaming, usage } = entry;
  const title = span(`step ${n}${stepBudget === null ? '' : `/${stepBudget}`}`, 'accent');
  const cost = formatUsage(usage);
  const note = isStreaming ? ' · the model writes' : cost === '' ? '' : ` · ${cost}`;
  return [line(''), [title, span(note, 'dim')], ...bodyLines(`step ${n}`, entry, options)];
}

function actionLines(entry: ActionEntry, options: LayoutOptions): Line[] {
  const isRisky = entry.classification !== null && entry.classification.verdict !== 'safe';
  const command = markGuilty(entry.command, isRisky ? entry.classification : null);
  return [
    ...wrapSpans([span(entry.kind === 'command' ? '$ ' : '⚙ ', 'accent'), ...command], options.width, { indent: '  ' }),
    ...(entry.halt === null ? [] : haltLines(entry.halt, options.width)),
    ...(entry.news ?? []).flatMap((news) => wrapText(formatNews(news), 'dim', options.width, { indent: '    ┊ ' })),
    ...outputLines(entry.output, (entry.outcome ?? entry.result)?.omittedBytes ?? 0, options),
    ...endOfAction(entry, options.width),
  ];
}

function endOfAction({ state, outcome, result, reason }: ActionEntry, width: number): Line[] {
  const indent = '    ';
  if (outcome !== null || result !== null) {
    const { text, isGood } = formatEnding({ outcome, result });
    return wrapText(text, isGood ? 'good' : 'bad', width, { indent });
  }
  if (state === 'running') return wrapText('runs…', 'dim', width, { indent });
  if (state === 'skipped') return wrapText(`not run: ${oneLine(reason ?? 'skipped')}`, 'warn', width, { indent });
  if (state === 'lost')
    return wrapText('lost: nobody knows how it ended; it is not run again', 'bad', width, { indent });
  return [];
}

function outputLines(output: string, omittedBytes: number, { width, isUnfolded }: LayoutOptions): Line[] {
  const text = cleanText(output).replace(/\n+$/, '');
  if (text === '') return [];
  const lines = wrapText(text, 'plain', width, { indent: '    ' });
  if (omittedBytes > 0) lines.push(line(`    … ${omittedBytes} bytes were left out of its middle`, 'dim'));
  const hidden = lines.length - FOLD_HEAD - FOLD_TAIL;
  if (isUnfolded || hidden <= 1) return lines;
  const fold = line(`    … ${hidden} more lines (Ctrl-O shows them)`, 'dim');
  return [...lines.slice(0, FOLD_HEAD), fold, ...lines.slice(-FOLD_TAIL)];
}

function haltLines({ number, kind, reason, answer }: Halt, width: number): Line[] {
  const indent = '    ';
  const halt = wrapSpans(
    [
      kind === 'halt' ? span(' HALT ', 'alarm') : span(kindLabel(kind).toLowerCase(), 'warn'),
      span(` d-${number}: ${oneLine(reason)}`, 'bad'),
    ],
    width,
    { indent },
  );
  return answer === null ? halt : [...halt, ...wrapText(answerText(answer), 'warn', width, { indent })];
}

function answerText(answer: HaltAnswer): string {
  if (answer === 'withdrawn') return 'withdrawn: what it held up ended first';
  return formatVerdict({ ...answer, state: 'decided', decidedBy: answer.by }) ?? '';
}
