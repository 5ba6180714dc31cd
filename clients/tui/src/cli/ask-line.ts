import { createInterface, type Interface } from 'node:readline';
import type { Io } from './io.js';

/** Asks a person for lines, at a terminal or through a pipe. */
export class LineAsker {
  private readonly lines: AsyncIterator<string>;
  private readonly reader: Interface;
  private readonly isTerminal: boolean;

  constructor(private readonly io: Io) {
    this.isTerminal = io.stdin.isTTY === true;
    this.reader = createInterface({
      input: io.stdin,
      terminal: this.isTerminal,
      // Questions are no result: they go where notes go.
      ...(this.isTerminal ? { output: io.stderr as unknown as NodeJS.WritableStream } : {}),
    });
    this.lines = this.reader[Symbol.asyncIterator]();
    io.signal.addEventListener('abort', () => this.close(), { once: true });
  }

  /**
   * @param prefill what stands there already, to be changed; only at a terminal.
   * @returns the answer; null when there will be none.
   */
  async ask(question: string, prefill = ''): Promise<string | null> {
    if (this.isTerminal) {
      this.reader.setPrompt(question);
      this.reader.prompt();
      if (prefill !== '') this.reader.write(prefill);
    } else this.io.stderr.write(`${question}\n`);
    const next = await this.lines.next();
    return next.done === true ? null : next.value;
  }

  close(): void {
    this.reader.close();
  }
}
