import type { LiveBody, SessionEvent } from '@aish/contracts/events';
import { newsPiece, textPiece, type Piece } from '@aish/views/entry.pieces';
import { EventPrinter } from '@aish/views/event.printer';
import { formatProgress } from '@aish/views/progress.format';
import { formatEnding } from '@aish/views/goal.format';
import { span } from '@aish/views/line';
import { MarkedStream, gutter, markedLines } from '@aish/views/marked.lines';
import { StreamCleaner } from '@aish/views/sanitise';
import { toAnsi, type Palette } from '@aish/views/text/palette';

/** The live text of an answer or a command, as far as it has been printed. */
interface Streaming {
  /** Whether the text arrived from its beginning, so that each piece can be printed immediately. */
  isWhole: boolean;
  cleaner: StreamCleaner;
  /** All of the text that was printed. */
  text: string;
  readonly stream: MarkedStream;
}

/** Past events may still arrive for this long after connecting. */
const REPLAY_MS = 300;
/** Live text may arrive before its event. At most this many characters are held back. */
const HELD_MAX_CHARS = 65_536;
const ENDED_MAX = 1_000;
const ERASE_LINE = '\r\u001b[2K';

/**
 * Turns the events and the live text of a session into text for a terminal or a file, and prints nothing twice. Live
 * text arrives separately from events, before or after its own event. It waits for the event that begins it, and is
 * dropped after the event that ends it. A text that did not arrive from its beginning is printed as a whole at its end.
 */
export class WatchPrinter {
  private readonly open = new Map<string, Streaming>();
  private readonly held = new Map<string, string>();
  private readonly ended = new Set<string>();
  /** The stream to which the terminal's open line belongs. */
  private current: MarkedStream | null = null;
  private readonly printer = new EventPrinter();
  private connectedAtMs = -Infinity;
  /** Whether the last line shows what the model is doing. The next output replaces that line. */
  private hasStatus = false;

  /**
   * @param width the current width of the terminal in cells @param redraws whether a line can be overwritten (only at a
   * terminal)
   */
  constructor(
    private readonly palette: Palette,
    private readonly width: () => number = () => Infinity,
    private readonly now: () => number = () => performance.now(),
    private readonly redraws = false,
  ) {}

  /** Handles a new connection. Live text that was sent while there was no connection is missing. */
  connected(): void {
    this.connectedAtMs = this.now();
    for (const streaming of this.open.values()) streaming.isWhole = false;
    this.held.clear();
  }

  live(body: LiveBody): string {
    if (body.type === 'model.progress' || body.type === 'answer.progress') return this.status(body);
    if (body.type === 'model.delta') return this.liveText(`step ${body.step}`, body.text);
    if (body.type === 'tool.log') return this.lines([newsPiece(body)]);
    return body.type === 'action.output' ? this.liveText(body.actionId, body.text) : '';
  }

  /**
   * Prints the progress line, but only below complete lines: while an answer arrives, its words show that the model is
   * writing.
   */
  private status(progress: Extract<LiveBody, { type: 'model.progress' | 'answer.progress' }>): string {
    const hasEnded = progress.type === 'model.progress' && this.ended.has(`step ${progress.step}`);
    if (!this.redraws || this.current !== null || hasEnded) return '';
    this.hasStatus = true;
    const text = `  ${formatProgress(progress)}`.slice(0, Math.max(0, this.width() - 1));
    return `${ERASE_LINE}${toAnsi([span(text, 'dim')], this.palette)}`;
  }

  /** @param isShown selects the pieces to print (default: all) */
  event({ body }: SessionEvent, isShown: (piece: Piece) => boolean = () => true): string {
    const pieces = this.printer.print(body).filter(isShown);
    if (body.type === 'goal.changed' && body.state === 'waiting') this.restart();
    if (body.type === 'step.started') return this.lines(pieces) + this.begin(`step ${body.step}`, 1);
    if (body.type === 'step.answered')
      return this.rest(`step ${body.step}`, body.text, 1) + this.lines(pieces.filter(({ as }) => as !== 'body'));
    if (body.type === 'action.started') return this.begin(body.actionId, 2);
    if (body.type !== 'action.finished') return this.lines(pieces);
    const { output, omittedBytes } = formatEnding(body);
    const others = pieces.map((piece): Piece => (piece.as === 'output' ? { ...piece, spans: [] } : piece));
    return this.rest(body.actionId, output, 2, omittedBytes > 0) + this.lines(others);
  }

  /** Ends a line that live text began, so that other text can follow. */
  settle(): string {
    const end = (this.hasStatus ? ERASE_LINE : '') + (this.current?.end() ?? '');
    this.hasStatus = false;
    this.current = null;
    return end;
  }

  /** Starts an interrupted text again from its beginning. */
  private restart(): void {
    for (const streaming of this.open.values()) {
      streaming.text = '';
      streaming.cleaner = new StreamCleaner();
    }
  }

  /** Handles the event that begins a text: prints the part that has arrived, if it is complete so far. */
  private begin(key: string, depth: number): string {
    if (this.open.has(key) || this.ended.has(key)) return '';
    const isWhole = this.now() - this.connectedAtMs > REPLAY_MS;
    this.open.set(key, this.streaming(depth, isWhole));
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
    return streaming.isWhole ? this.print(streaming, text) : '';
  }

  /** Handles the event that ends a text: prints the part that was not printed live. */
  private rest(key: string, text: string, depth: number, isCut = false): string {
    const streaming = this.open.get(key) ?? this.streaming(depth, true);
    this.open.delete(key);
    this.held.delete(key);
    this.ended.add(key);
    const [oldest] = this.ended;
    if (this.ended.size > ENDED_MAX && oldest !== undefined) this.ended.delete(oldest);
    const live = streaming.text;
    if (live !== '' && isCut && live.length >= text.length) return this.settle();
    if (text.startsWith(live)) return this.print(streaming, text.slice(live.length)) + this.settle();
    const note = this.lines([textPiece('(again, in full:)', 'dim', depth)]);
    return note + this.print(this.streaming(depth, true), text) + this.settle();
  }

  private print(streaming: Streaming, text: string): string {
    const before = this.current === streaming.stream ? '' : this.settle();
    this.current = streaming.stream;
    streaming.text += text;
    return before + streaming.stream.push(streaming.cleaner.push(text));
  }

  private streaming(depth: number, isWhole: boolean): Streaming {
    const lead = gutter(depth);
    const text = toAnsi([span(lead, 'dim')], this.palette);
    const stream = new MarkedStream({ text, cells: lead.length }, this.width);
    return { isWhole, cleaner: new StreamCleaner(), text: '', stream };
  }

  /** Prints lines that belong to no event. */
  lines(pieces: readonly Piece[]): string {
    const lines = markedLines(pieces, this.width());
    return this.settle() + lines.map((each) => `${toAnsi(each, this.palette).trimEnd()}\n`).join('');
  }
}
