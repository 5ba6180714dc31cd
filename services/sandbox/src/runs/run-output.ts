import { TextDecoder } from 'node:util';
import type { CountedConnection } from '@aish/contracts/network';
import { toProblem, type AishError } from '@aish/contracts/problems';
import type { RunFrame } from '@aish/contracts/runs';
import type { RunSecret } from '@aish/contracts/secrets';
import { ConnectionLog, frameOf } from '../network/connection-log.js';
import type { Piece, StreamName } from '../engine/frame-splitter.js';
import { concealer, holdsSecret } from '../secrets/placeholders.js';
import type { Replacer } from '../secrets/replacer.js';
import type { WholeOutput } from '../outputs/whole-output.js';
import { FrameQueue } from './frame-queue.js';
import { HeadTail } from './head-tail.js';

export interface OutputLimits {
  /** UTF-8 bytes kept for clients that attach later. */
  readonly keptMaxBytes: number;
  /** UTF-8 bytes sent to attached clients. */
  readonly streamedMaxBytes: number;
}

type HostFrame = Extract<RunFrame, { type: 'host' | 'hostEnded' }>;
/** How many ends on hosts are repeated to clients that attach later. */
const ENDS_MAX = 1_000;

/**
 * What a run prints: decoded, kept within bounds, and handed to all who listen. Taking it never waits for a listener.
 */
export class RunOutput {
  private kept: HeadTail;
  private streamedBytes = 0;
  private decoders = newDecoders();
  /** Puts placeholders in the place of secrets, in each stream; null where the command has none in clear. */
  private concealers: Record<StreamName, Replacer> | null = null;
  private concealed: readonly RunSecret[] = [];
  private isWithheld = false;
  /** What its commands connected to. */
  readonly connections: ConnectionLog;
  private readonly listeners = new Set<FrameQueue>();
  private last: RunFrame | null = null;
  /** What waits for an answer, and what has ended, on other hosts. */
  private readonly hosts = new Map<string, HostFrame>();

  constructor(
    private readonly limits: OutputLimits,
    keepConnection?: (connection: CountedConnection) => void,
    /** Has all of it where that is more than is kept here. */
    private readonly whole: WholeOutput | null = null,
  ) {
    this.connections = new ConnectionLog(
      (frame) => this.listeners.forEach((queue) => queue.push(frame)),
      keepConnection,
    );
    this.kept = new HeadTail(limits.keptMaxBytes);
  }

  /** From now on nobody is told these. */
  conceal(secrets: readonly RunSecret[]): void {
    this.concealed = secrets;
    this.concealers = newConcealers(secrets);
    this.connections.hides = (name) => holdsSecret(name, secrets);
  }

  /** From now on nobody is told what is printed: the secrets in it are not known. */
  withhold(): void {
    this.isWithheld = true;
    this.add(
      'stderr',
      'aish: this command has a secret in clear, and the sandbox has restarted: its output is not shown\n',
    );
  }

  take({ stream, bytes }: Piece): void {
    if (this.isWithheld) return;
    const shown = this.concealers?.[stream].push(Buffer.from(bytes)) ?? bytes;
    this.add(stream, this.decoders[stream].decode(shown, { stream: true }));
  }

  /** What was kept, once no more comes. */
  result(): { readonly text: string; readonly omittedBytes: number } {
    for (const stream of ['stdout', 'stderr'] as const) {
      const rest = this.concealers?.[stream].end();
      this.add(stream, rest === undefined ? this.decoders[stream].decode() : this.decoders[stream].decode(rest));
    }
    this.whole?.end(this.kept.pushedBytes, this.kept.tail());
    return this.kept.result();
  }

  /** What was kept so far, as one frame, and then everything that comes. After the end: what was kept, and the end. */
  listen(): FrameQueue {
    const queue = new FrameQueue();
    const { text } = this.kept.result();
    if (text !== '') queue.push({ type: 'output', stream: 'stdout', text });
    for (const connection of this.connections.list()) queue.push(frameOf(connection));
    for (const frame of this.hosts.values()) queue.push(frame);
    if (this.last === null) this.listeners.add(queue);
    else {
      queue.push(this.last);
      queue.close();
    }
    return queue;
  }

  /** Asks the listeners of now and later. */
  ask(frame: Extract<HostFrame, { type: 'host' }>): void {
    this.hosts.set(frame.ask.id, frame);
    for (const queue of this.listeners) queue.push(frame);
  }

  /** What was asked needs no answer any more; `end`: and it has ended on its host. */
  settle(id: string, end: Extract<HostFrame, { type: 'hostEnded' }> | null): void {
    this.hosts.delete(id);
    if (end === null) return;
    const [oldest] = this.hosts.keys();
    if (this.hosts.size >= ENDS_MAX && oldest !== undefined) this.hosts.delete(oldest);
    this.hosts.set(id, end);
    for (const queue of this.listeners) queue.push(end);
  }

  /** Takes a listener that has gone off the list. */
  leave(queue: FrameQueue): void {
    this.listeners.delete(queue);
  }

  /** Ends it: present and future listeners get `frame` last. */
  end(frame: RunFrame): void {
    // Told once when it was new; now, how often it was in all.
    const repeated = this.connections.list().filter(({ count }) => count > 1);
    for (const queue of this.listeners) repeated.forEach((each) => queue.push(frameOf(each)));
    this.last = frame;
    this.dismiss(frame);
  }

  /** Tells present listeners that nobody can listen just now, and starts from nothing: the output will be read again. */
  interrupt(error: AishError): void {
    this.dismiss({ type: 'error', problem: toProblem(error) });
    this.kept = new HeadTail(this.limits.keptMaxBytes);
    this.whole?.drop();
    this.streamedBytes = 0;
    this.decoders = newDecoders();
    this.concealers = newConcealers(this.concealed);
  }

  /** Lets present listeners go without a last frame. */
  close(): void {
    this.dismiss(null);
  }

  private add(stream: StreamName, text: string): void {
    if (text === '') return;
    const { whole } = this;
    if (whole?.isBegun === true) whole.add(text);
    else if (whole?.isWanted === true && !this.kept.hasRoomFor(text)) whole.begin(this.kept.result().text + text);
    this.kept.push(text);
    if (this.streamedBytes >= this.limits.streamedMaxBytes) return;
    this.streamedBytes += Buffer.byteLength(text);
    for (const queue of this.listeners) queue.push({ type: 'output', stream, text });
  }

  private dismiss(frame: RunFrame | null): void {
    for (const queue of this.listeners) {
      if (frame !== null) queue.push(frame);
      queue.close();
    }
    this.listeners.clear();
  }
}

function newConcealers(secrets: readonly RunSecret[]): Record<StreamName, Replacer> | null {
  return secrets.length === 0 ? null : { stdout: concealer(secrets), stderr: concealer(secrets) };
}

function newDecoders(): Record<StreamName, TextDecoder> {
  // One per stream: a character may be cut in stdout while stderr goes on. ignoreBOM keeps a BOM that was printed.
  return {
    stdout: new TextDecoder('utf-8', { ignoreBOM: true }),
    stderr: new TextDecoder('utf-8', { ignoreBOM: true }),
  };
}
