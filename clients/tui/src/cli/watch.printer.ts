import { isTerminal, type EventBody, type LiveBody, type SessionEvent } from '@aish/contracts';
import { commandLines } from '../format/story.format.js';
import { formatControl } from '../format/control.format.js';
import { formatEnding, formatUsage, stateLook } from '../format/goal.format.js';
import { formatNews } from '../format/tool-news.format.js';
import { line, span, type Line, type Style } from '../text/line.js';
import { toAnsi, type Palette } from '../text/palette.js';
import { StreamCleaner, cleanText, oneLine } from '../text/sanitise.js';

/** Live text that is being printed: of a step's answer or of a command. */
interface Streaming {
  readonly key: string;
  readonly style: Style;
  readonly indent: string;
  readonly cleaner: StreamCleaner;
  /** All of it so far, as it came. */
  text: string;
  isAtLineStart: boolean;
}

/** Turns the events of a session into text for a terminal or a file, live text as it comes, nothing twice. */
export class WatchPrinter {
  private streaming: Streaming | null = null;

  constructor(private readonly palette: Palette) {}

  live(body: LiveBody): string {
    if (body.type === 'model.delta') return this.stream(`step ${body.step}`, body.text, 'plain', '  ');
    if (body.type === 'tool.log') return this.lines([line(`    ${formatNews(body)}`, 'dim')]);
    return body.type === 'action.output' ? this.stream(body.actionId, body.text, 'dim', '    ') : '';
  }

  event({ body }: SessionEvent): string {
    switch (body.type) {
      case 'goal.created':
        return this.lines([[span(`goal ${body.number}  `, 'accent'), span(oneLine(body.text), 'bold')]]);
      case 'goal.changed':
        return this.changed(body);
      case 'step.started':
        return this.lines([
          line(''),
          line(`step ${body.step}${body.stepBudget === null ? '' : `/${body.stepBudget}`}`, 'accent'),
        ]);
      case 'step.answered': {
        const usage = formatUsage(body.usage);
        const rest = this.rest(`step ${body.step}`, body.text, 'plain', '  ');
        return rest + (usage === '' ? '' : this.lines([line(`  ${usage}`, 'dim')]));
      }
      case 'action.classified':
        return this.lines(commandLines(body.command, body.classification, '  ', body.kind));
      case 'action.started':
        return '';
      case 'action.finished': {
        const { text, isGood, output, omittedBytes } = formatEnding(body);
        const rest = this.rest(body.actionId, output, 'dim', '    ', omittedBytes > 0);
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
      case 'action.snapshot':
        return body.sizeBytes === null
          ? this.lines([line(`    no snapshot: ${oneLine(body.reason ?? '')}`, 'warn')])
          : this.lines([line(`    snapshot taken; to go back: aish undo ${body.actionId}`, 'dim')]);
      case 'action.undone':
        return this.lines([line(`    undone by ${oneLine(body.by)}: ${oneLine(body.command)}`, 'warn')]);
      case 'decision.requested':
        return this.lines([[span('    HALT ', 'alarm'), span(` d-${body.number}: ${oneLine(body.reason)}`, 'bad')]]);
      case 'decision.given': {
        const message = body.message === null ? '' : `: “${oneLine(body.message)}”`;
        const granted = (body.granted ?? null) === null ? '' : `, granted for this ${body.granted}`;
        const said = `    d-${body.number}: ${body.verdict} by ${oneLine(body.by)}${granted}${message}`;
        return this.lines([line(said, 'warn')]);
      }
      case 'goal.edited':
      case 'goal.continued':
      case 'goal.check':
      case 'goal.noticed':
      case 'grant.used':
      case 'grant.revoked':
        return this.lines([line(`    ${formatControl(body)}`, 'warn')]);
      case 'decision.withdrawn':
        return this.lines([line(`    d-${body.number}: withdrawn, the goal ended first`, 'warn')]);
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
    const open = this.streaming !== null && !this.streaming.isAtLineStart;
    if (this.streaming !== null) this.streaming.isAtLineStart = true;
    return open ? '\n' : '';
  }

  private changed({ state, reason, waitingFor, summary }: Extract<EventBody, { type: 'goal.changed' }>): string {
    if (isTerminal(state)) {
      const { symbol, style } = stateLook(state);
      const text = cleanText(summary ?? reason ?? '');
      return this.lines([
        line(''),
        line(`${symbol} ${state}`, style),
        ...(text === '' ? [] : text.split('\n').map((each) => line(`  ${each}`))),
      ]);
    }
    if (state === 'paused') return this.lines([line(`  ${oneLine(reason ?? 'paused')}`, 'warn')]);
    if (state !== 'waiting') return '';
    const settled = this.settle();
    this.streaming = null; // what broke off comes again from its beginning
    return settled + this.lines([line(`  waits for the ${waitingFor ?? 'rest'}: ${oneLine(reason ?? '')}`, 'warn')]);
  }

  /** What of a whole text has not been printed live; all of it if something of the live text is missing. */
  private rest(key: string, text: string, style: Style, indent: string, isCut = false): string {
    const live = this.streaming?.key === key ? this.streaming.text : '';
    if (live !== '' && isCut && live.length >= text.length) return this.settle();
    if (text.startsWith(live)) return this.stream(key, text.slice(live.length), style, indent) + this.settle();
    const settled = this.settle();
    this.streaming = null;
    const note = this.lines([line(`${indent}(once more, and whole:)`, 'dim')]);
    return settled + note + this.stream(key, text, style, indent) + this.settle();
  }

  private stream(key: string, text: string, style: Style, indent: string): string {
    let before = '';
    if (this.streaming?.key !== key) {
      before = this.settle();
      this.streaming = { key, style, indent, cleaner: new StreamCleaner(), text: '', isAtLineStart: true };
    }
    const { streaming } = this;
    streaming.text += text;
    const clean = streaming.cleaner.push(text);
    const pieces = clean.split('\n');
    const printed = pieces.map((piece, index) => {
      const isLast = index === pieces.length - 1;
      const lead = streaming.isAtLineStart && piece !== '' ? indent : '';
      streaming.isAtLineStart = isLast ? streaming.isAtLineStart && piece === '' : true;
      return `${lead}${piece === '' ? '' : toAnsi([span(piece, style)], this.palette)}${isLast ? '' : '\n'}`;
    });
    return before + printed.join('');
  }

  private lines(lines: readonly Line[]): string {
    return this.settle() + lines.map((each) => `${toAnsi(each, this.palette).trimEnd()}\n`).join('');
  }
}
