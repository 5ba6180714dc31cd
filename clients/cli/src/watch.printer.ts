import type { EventBody, LiveBody, SessionEvent } from '@aish/contracts/events';
import { effectsInAll, inAllLines, type Effects } from '@aish/contracts/effects';
import { isTerminal } from '@aish/contracts/goals';
import { commandLines } from '@aish/views/story.format';
import { formatDifference, formatSurroundings } from '@aish/views/decision.format';
import { formatControl } from '@aish/views/control.format';
import { formatEnding, formatUsage, stateLook } from '@aish/views/goal.format';
import { formatNews } from '@aish/views/tool-news.format';
import { line, span, type Line } from '@aish/views/line';
import { toAnsi, type Palette } from '@aish/views/text/palette';
import { StreamCleaner, cleanText, oneLine } from '@aish/views/sanitise';

/** Live text of a step's answer or of a command, as far as it is printed. */
interface Streaming {
  readonly indent: string;
  /** Heard from its beginning, so that its pieces can be printed as they come. */
  isWhole: boolean;
  cleaner: StreamCleaner;
  /** All of it that was printed, as it came. */
  text: string;
}

/** So long after the connection stands the past may still be told. */
const REPLAY_MS = 300;
/** Live text may come before the event that it belongs to; so much of it waits. */
const HELD_MAX_CHARS = 65_536;
const ENDED_MAX = 1_000;

/**
 * Turns the events of a session into text for a terminal or a file, live text as it comes, nothing twice. Live text is
 * told apart from events and may come before or after those that it belongs to: it waits for the event that begins
 * it, and is dropped after the one that ends it. What was not heard from its beginning is printed whole at its end.
 */
export class WatchPrinter {
  private readonly open = new Map<string, Streaming>();
  private readonly held = new Map<string, string>();
  private readonly ended = new Set<string>();
  /** What the open line of the terminal is of. */
  private current: string | null = null;
  private isAtLineStart = true;
  /** Decisions by the action that they let through. */
  private readonly decisions = new Map<string, number>();
  private connectedAtMs = -Infinity;
  /** What was done so far. */
  private did: Effects | null = null;

  constructor(
    private readonly palette: Palette,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** A connection stands: what was told live since the last one, or before the first one, was not heard. */
  connected(): void {
    this.connectedAtMs = this.now();
    for (const streaming of this.open.values()) streaming.isWhole = false;
    this.held.clear();
  }

  live(body: LiveBody): string {
    if (body.type === 'model.delta') return this.liveText(`step ${body.step}`, body.text);
    if (body.type === 'tool.log') return this.lines([line(`    ${formatNews(body)}`, 'dim')]);
    return body.type === 'action.output' ? this.liveText(body.actionId, body.text) : '';
  }

  event({ body }: SessionEvent): string {
    switch (body.type) {
      case 'goal.created':
        return this.lines([[span(`goal ${body.number}  `, 'accent'), span(oneLine(body.text), 'bold')]]);
      case 'goal.changed':
        return this.changed(body);
      case 'step.started': {
        const title = `step ${body.step}${body.stepBudget === null ? '' : `/${body.stepBudget}`}`;
        return this.lines([line(''), line(title, 'accent')]) + this.begin(`step ${body.step}`, '  ');
      }
      case 'step.answered': {
        const usage = formatUsage(body.usage);
        const rest = this.rest(`step ${body.step}`, body.text, '  ');
        return rest + (usage === '' ? '' : this.lines([line(`  ${usage}`, 'dim')]));
      }
      case 'action.classified':
        return this.lines(commandLines(body.command, body.classification, '  ', body.kind));
      case 'action.started':
        return this.begin(body.actionId, '    ');
      case 'action.finished': {
        this.did = effectsInAll([{ effects: this.did ?? undefined }, body.outcome ?? {}]);
        const { text, isGood, output, omittedBytes } = formatEnding(body);
        const rest = this.rest(body.actionId, output, '    ', omittedBytes > 0);
        return rest + this.lines([line(`    ${text}`, isGood ? 'good' : 'bad')]);
      }
      case 'action.skipped':
        return this.lines([line(`    not run: ${oneLine(body.reason)}`, 'warn')]);
      case 'action.lost':
        return this.lines([line('    lost: nobody knows how it ended; it is not run again', 'bad')]);
      case 'network.connection': {
        const times = body.count === 1 ? '' : ` ${body.count} times`;
        const place = oneLine(`${body.host}:${body.port}`);
        const text = body.allowed ? `reached ${place}${times}` : `refused ${place}${times}: ${oneLine(body.reason)}`;
        return this.lines([line(`    network: ${text}`, body.allowed ? 'dim' : 'warn')]);
      }
      case 'network.changed': {
        const { policy, by } = body;
        const rules = policy.mode === 'none' ? [] : policy.rules;
        const reach = rules.map(({ host, ports }) => `${host}:${ports.join('/')}`).join(', ') || 'nothing';
        return this.lines([line(`  network: commands may reach ${reach}, says ${oneLine(by)}`, 'warn')]);
      }
      case 'secrets.changed': {
        const names = body.names.join(', ') || 'none';
        return this.lines([line(`  secrets: commands may use ${oneLine(names)}, says ${oneLine(body.by)}`, 'warn')]);
      }
      case 'action.snapshot':
        return body.sizeBytes === null
          ? this.lines([line(`    no snapshot: ${oneLine(body.reason ?? '')}`, 'warn')])
          : this.lines([line(`    snapshot taken; to go back: aish undo ${this.nameOf(body.actionId)}`, 'dim')]);
      case 'action.undone':
        return this.lines([line(`    undone by ${oneLine(body.by)}: ${oneLine(body.command)}`, 'warn')]);
      case 'decision.requested':
        if (body.actionId !== null) this.decisions.set(body.actionId, body.number);
        return this.lines([
          [span('    HALT ', 'alarm'), span(` d-${body.number}: ${oneLine(body.reason)}`, 'bad')],
          ...formatSurroundings(body.surroundings ?? null).map((each) => line(`    ${each}`, 'warn')),
          ...formatDifference(body.difference ?? null).map((each) => line(`    ${each}`, 'bad')),
        ]);
      case 'decision.given': {
        const message = body.message === null ? '' : `: “${oneLine(body.message)}”`;
        const granted = (body.granted ?? null) === null ? '' : `, granted for this ${body.granted}`;
        const carried = body.carried === true ? ', with the variables of earlier commands' : '';
        const said = `    d-${body.number}: ${body.verdict} by ${oneLine(body.by)}${granted}${carried}${message}`;
        return this.lines([line(said, 'warn')]);
      }
      case 'decision.approved':
      case 'decision.taken_back':
      case 'goal.edited':
      case 'goal.continued':
      case 'goal.check':
      case 'goal.trust':
      case 'goal.noticed':
      case 'grant.used':
      case 'grant.revoked':
        return this.lines([line(`    ${formatControl(body)}`, 'warn')]);
      case 'decision.withdrawn':
        return this.lines([line(`    d-${body.number}: withdrawn: what it held up ended first`, 'warn')]);
      case 'chat.created':
      case 'chat.changed':
      case 'message.received':
      case 'answer.started':
      case 'answer.ended':
      case 'exchange.ended':
        return '';
    }
  }

  /** Ends a line that live text has begun, so that something else can be written. */
  settle(): string {
    const end = this.isAtLineStart ? '' : '\n';
    this.isAtLineStart = true;
    this.current = null;
    return end;
  }

  private nameOf(actionId: string): string {
    const number = this.decisions.get(actionId);
    return number === undefined ? actionId : `d-${number}`;
  }

  private changed({ state, reason, waitingFor, summary }: Extract<EventBody, { type: 'goal.changed' }>): string {
    if (isTerminal(state)) {
      const { symbol, style } = stateLook(state);
      const text = cleanText(summary ?? reason ?? '');
      return this.lines([
        line(''),
        line(`${symbol} ${state}`, style),
        ...(text === '' ? [] : text.split('\n').map((each) => line(`  ${each}`))),
        ...inAllLines(this.did).map((each) => line(`  ${cleanText(each)}`, 'warn')),
      ]);
    }
    if (state === 'paused') return this.lines([line(`  ${oneLine(reason ?? 'paused')}`, 'warn')]);
    if (state !== 'waiting') return '';
    // What broke off comes again from its beginning.
    for (const streaming of this.open.values()) {
      streaming.text = '';
      streaming.cleaner = new StreamCleaner();
    }
    return this.lines([line(`  waits for the ${waitingFor ?? 'rest'}: ${oneLine(reason ?? '')}`, 'warn')]);
  }

  /** The event that begins a text: what was heard of it already is printed now, if that is all of it. */
  private begin(key: string, indent: string): string {
    if (this.open.has(key) || this.ended.has(key)) return '';
    const isWhole = this.now() - this.connectedAtMs > REPLAY_MS;
    this.open.set(key, { indent, isWhole, cleaner: new StreamCleaner(), text: '' });
    const held = this.held.get(key) ?? '';
    this.held.delete(key);
    return this.liveText(key, held);
  }

  private liveText(key: string, text: string): string {
    if (text === '' || this.ended.has(key)) return '';
    const streaming = this.open.get(key);
    if (streaming === undefined) {
      this.held.set(key, ((this.held.get(key) ?? '') + text).slice(-HELD_MAX_CHARS));
      return '';
    }
    return streaming.isWhole ? this.print(key, streaming, text) : '';
  }

  /** The event that ends a text: what of it has not been printed live. */
  private rest(key: string, text: string, indent: string, isCut = false): string {
    const streaming = this.open.get(key) ?? { indent, isWhole: true, cleaner: new StreamCleaner(), text: '' };
    this.open.delete(key);
    this.held.delete(key);
    this.ended.add(key);
    const [oldest] = this.ended;
    if (this.ended.size > ENDED_MAX && oldest !== undefined) this.ended.delete(oldest);
    const live = streaming.text;
    if (live !== '' && isCut && live.length >= text.length) return this.settle();
    if (text.startsWith(live)) return this.print(key, streaming, text.slice(live.length)) + this.settle();
    const note = this.lines([line(`${indent}(once more, and whole:)`, 'dim')]);
    const again = { ...streaming, cleaner: new StreamCleaner() };
    return note + this.print(key, again, text) + this.settle();
  }

  private print(key: string, streaming: Streaming, text: string): string {
    const { indent, cleaner } = streaming;
    const before = this.current === key ? '' : this.settle();
    this.current = key;
    streaming.text += text;
    const pieces = cleaner.push(text).split('\n');
    const printed = pieces.map((piece, index) => {
      const isLast = index === pieces.length - 1;
      const lead = this.isAtLineStart && piece !== '' ? indent : '';
      this.isAtLineStart = isLast ? this.isAtLineStart && piece === '' : true;
      return `${lead}${piece === '' ? '' : toAnsi([span(piece)], this.palette)}${isLast ? '' : '\n'}`;
    });
    return before + printed.join('');
  }

  private lines(lines: readonly Line[]): string {
    return this.settle() + lines.map((each) => `${toAnsi(each, this.palette).trimEnd()}\n`).join('');
  }
}
