import { formatOutcome, formatUsage, plural, stateLook } from '../format/goal.format.js';
import { markGuilty } from '../format/decision.format.js';
import { line, span, type Line } from '../text/line.js';
import { cleanText, oneLine } from '../text/sanitise.js';
import { wrapSpans, wrapText } from '../text/wrap.js';
import type { ActionEntry, Entry, Halt, HaltAnswer, StepEntry, Timeline } from './timeline.js';

export interface LayoutOptions {
  readonly width: number;
  /** Show outputs whole, as far as they are kept. */
  readonly isUnfolded: boolean;
}

/** Lines of output that are shown folded: so many of its beginning and of its end. */
const FOLD_HEAD = 4;
const FOLD_TAIL = 8;
const MAX_LINES = 5_000;

// An entry that did not change keeps its lines: while text streams in, only the last entry is laid out again.
const cache = new WeakMap<Entry, { readonly options: LayoutOptions; readonly lines: readonly Line[] }>();

/** The timeline as lines of at most `width` cells, oldest first, the newest 5 000. */
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

/** One entry as lines. */
export function entryLines(entry: Entry, options: LayoutOptions): readonly Line[] {
  switch (entry.type) {
    case 'goal':
      return [
        line(`goal ${entry.number} · ${oneLine(entry.preset)} · up to ${plural(entry.stepBudget, 'step')}`, 'accent'),
        ...wrapText(cleanText(entry.text), 'bold', options.width, { indent: '  ' }),
      ];
    case 'step':
      return stepLines(entry, options);
    case 'action':
      return actionLines(entry, options);
    case 'wait':
      return wrapText(`waits for the ${entry.for}: ${oneLine(entry.reason)}`, 'warn', options.width, { indent: '  ' });
    case 'end': {
      const { symbol, style } = stateLook(entry.state);
      return [
        line(''),
        line(`${symbol} ${entry.state}`, style === 'dim' ? 'bold' : style),
        ...(entry.text === '' ? [] : wrapText(cleanText(entry.text), 'plain', options.width, { indent: '  ' })),
      ];
    }
  }
}

function stepLines({ n, stepBudget, text, isStreaming, usage }: StepEntry, { width }: LayoutOptions): Line[] {
  const title = span(`step ${n}${stepBudget === null ? '' : `/${stepBudget}`}`, 'accent');
  const cost = formatUsage(usage);
  const note = isStreaming ? ' · the model writes' : cost === '' ? '' : ` · ${cost}`;
  const shown = cleanText(text).trim();
  return [
    line(''),
    [title, span(note, 'dim')],
    ...(shown === '' ? [] : wrapText(shown, 'plain', width, { indent: '  ' })),
  ];
}

function actionLines(entry: ActionEntry, options: LayoutOptions): Line[] {
  const isRisky = entry.classification !== null && entry.classification.verdict !== 'safe';
  const command = markGuilty(entry.command, isRisky ? entry.classification : null);
  return [
    ...wrapSpans([span('$ ', 'accent'), ...command], options.width, { indent: '  ' }),
    ...(entry.halt === null ? [] : haltLines(entry.halt, options.width)),
    ...outputLines(entry.output, entry.outcome?.omittedBytes ?? 0, options),
    ...endOfAction(entry, options.width),
  ];
}

function endOfAction({ state, outcome, reason }: ActionEntry, width: number): Line[] {
  const indent = '    ';
  if (outcome !== null) {
    const { text, isGood } = formatOutcome(outcome);
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
  const lines = wrapText(text, 'dim', width, { indent: '    ' });
  if (omittedBytes > 0) lines.push(line(`    … ${omittedBytes} bytes were left out of its middle`, 'dim'));
  const hidden = lines.length - FOLD_HEAD - FOLD_TAIL;
  if (isUnfolded || hidden <= 1) return lines;
  const fold = line(`    … ${hidden} more lines (Ctrl-O shows them)`, 'dim');
  return [...lines.slice(0, FOLD_HEAD), fold, ...lines.slice(-FOLD_TAIL)];
}

function haltLines({ number, reason, answer }: Halt, width: number): Line[] {
  const indent = '    ';
  const halt = wrapSpans([span(' HALT ', 'alarm'), span(` d-${number}: ${oneLine(reason)}`, 'bad')], width, { indent });
  return answer === null ? halt : [...halt, ...wrapText(answerText(answer), 'warn', width, { indent })];
}

function answerText(answer: HaltAnswer): string {
  if (answer === 'withdrawn') return 'withdrawn: the goal ended first';
  const message = answer.message === null ? '' : `: “${oneLine(answer.message)}”`;
  return `${answer.verdict} by ${oneLine(answer.by)}${message}`;
}
