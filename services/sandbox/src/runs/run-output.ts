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
  /** The number of UTF-8 bytes that are kept for clients that connect later. */
  readonly keptMaxBytes: number;
  /** The maximum number of UTF-8 bytes that are sent to attached clients. */
  readonly streamedMaxBytes: number;
}

type HostFrame = Extract<RunFrame, { type: 'host' | 'hostEnded' }>;
/** The maximum number of finished host commands that are reported to clients that connect later. */
const ENDS_MAX = 1_000;

/**
 * Holds the output of a run. The output is decoded, kept within limits, and sent to all listeners. Accepting output
 * never waits for a listener.
 */
export class RunOutput {
  private kept: HeadTail;
  private streamedBytes = 0;
  private decoders = newDecoders();
  /** These replace secrets with placeholders in each stream; null if the command has no exposed secrets. */
  private concealers: Record<StreamName, Replacer> | null = null;
  private concealed: readonly RunSecret[] = [];
  private isWithheld = false;
  /** The connections that the run's command makes. */
  readonly connections: ConnectionLog;
  private readonly listeners = new Set<FrameQueue>();
  private last: RunFrame | null = null;
  /** The host commands that wait for an answer or have ended. */
  private readonly hosts = new Map<string, HostFrame>();

  constructor(
    private readonly limits: OutputLimits,
    keepConnection?: (connection: CountedConnection) => void,
    /** Stores the complete output if it is longer than the part that is kept here. */
    private readonly whole: WholeOutput | null = null,
  ) {
    this.connections = new ConnectionLog(
      (frame) => this.listeners.forEach((queue) => queue.push(frame)),
      keepConnection,
    );
    this.kept = new HeadTail(limits.keptMaxBytes);
  }

  /** Masks these secrets from now on. */
  conceal(secrets: readonly RunSecret[]): void {
    this.concealed = secrets;
    this.concealers = newConcealers(secrets);
    this.connections.hides = (name) => holdsSecret(name, secrets);
  }

  /** Reports no output from now on, because the secrets in it are not known. */
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

  /** Returns the kept output. Call this once the output is complete. */
  result(): { readonly text: string; readonly omittedBytes: number } {
    for (const stream of ['stdout', 'stderr'] as const) {
      const rest = this.concealers?.[stream].end();
      this.add(stream, rest === undefined ? this.decoders[stream].decode() : this.decoders[stream].decode(rest));
    }
    this.whole?.end(this.kept.pushedBytes, this.kept.tail());
    return this.kept.result();
  }

  /**
   * Returns a queue with the kept output as one frame, followed by everything new. If the run has ended, the queue
   * holds the kept output and the end frame.
   */
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

  /** Sends a question about a host command to present and future listeners, until `settle` removes it. */
  ask(frame: Extract<HostFrame, { type: 'host' }>): void {
    this.hosts.set(frame.ask.id, frame);
    for (const queue of this.listeners) queue.push(frame);
  }

  /** Removes a question that needs no answer any more. `end` says how the command ended on its host. */
  settle(id: string, end: Extract<HostFrame, { type: 'hostEnded' }> | null): void {
    this.hosts.delete(id);
    if (end === null) return;
    const [oldest] = this.hosts.keys();
    if (this.hosts.size >= ENDS_MAX && oldest !== undefined) this.hosts.delete(oldest);
    this.hosts.set(id, end);
    for (const queue of this.listeners) queue.push(end);
  }

  /** Removes a listener that has disconnected. */
  leave(queue: FrameQueue): void {
    this.listeners.delete(queue);
  }

  /** Ends the output. Present and future listeners get `frame` last. */
  end(frame: RunFrame): void {
    // Each connection was reported once when it was new. Now the total counts follow.
    const repeated = this.connections.list().filter(({ count }) => count > 1);
    for (const queue of this.listeners) repeated.forEach((each) => queue.push(frameOf(each)));
    this.last = frame;
    this.dismiss(frame);
  }

  /**
   * Tells present listeners about the interruption, and discards the kept output, because the output will be read
   * again.
   */
  interrupt(error: AishError): void {
    this.dismiss({ type: 'error', problem: toProblem(error) });
    this.kept = new HeadTail(this.limits.keptMaxBytes);
    this.whole?.drop();
    this.streamedBytes = 0;
    this.decoders = newDecoders();
    this.concealers = newConcealers(this.concealed);
  }

  /** Disconnects present listeners without a last frame. */
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
  // Each stream has its own decoder, because a character may be split in stdout while stderr continues. ignoreBOM keeps
  // a printed BOM.
  return {
    stdout: new TextDecoder('utf-8', { ignoreBOM: true }),
    stderr: new TextDecoder('utf-8', { ignoreBOM: true }),
  };
}
