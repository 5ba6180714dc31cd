import { createInterface, type Interface } from 'node:readline';
import { showExact } from '@aish/views/sanitise';
import { DEAF_MS } from '@aish/views/verdict-line';
import type { Io } from '@aish/client/io';

const SHOWN_MAX_CHARS = 40;

/** Asks a person for lines of text, at a terminal or through a pipe. */
export class LineAsker {
  private readonly lines: AsyncIterator<string>;
  private readonly reader: Interface;
  private readonly isTerminal: boolean;

  constructor(private readonly io: Io) {
    this.isTerminal = io.stdin.isTTY === true;
    this.reader = createInterface({
      input: io.stdin,
      terminal: this.isTerminal,
      // Prompts are not results, so they go to stderr with the notes.
      ...(this.isTerminal ? { output: io.stderr as unknown as NodeJS.WritableStream } : {}),
    });
    this.lines = this.reader[Symbol.asyncIterator]();
    io.signal.addEventListener('abort', this.close, { once: true });
  }

  /**
   * @param prefill text that the person can edit (only at a terminal) @returns the answer, or null if there will be
   * none
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

  /**
   * Asks until `read` accepts the answer. At a terminal, text that was typed before the prompt is rejected. @param none
   * says what an answer looks like
   * @returns null if there will be no answer
   */
  async askUntil<T>(question: string, none: string, read: (answer: string) => T | undefined): Promise<T | null> {
    for (;;) {
      const askedAt = performance.now();
      let isEarly = this.isTerminal && this.reader.line !== '';
      const onData = (): void => {
        isEarly ||= this.isTerminal && performance.now() - askedAt < DEAF_MS;
      };
      this.io.stdin.once('data', onData);
      const answer = (await this.ask(question))?.trim() ?? null;
      this.io.stdin.off('data', onData);
      if (answer === null) return null;
      const found = read(answer);
      if (found !== undefined && !isEarly) return found;
      const name = answer === '' ? 'Enter alone' : `“${showExact(answer.slice(0, SHOWN_MAX_CHARS))}”`;
      const why =
        found === undefined ? `is not an answer: ${none}` : 'was typed before the question appeared: type it again';
      this.say(`${name} ${why}`);
    }
  }

  say(text: string): void {
    this.io.stderr.write(`    ${text}\n`);
  }

  /** The method is bound, because it is also used as a listener. */
  readonly close = (): void => {
    this.io.signal.removeEventListener('abort', this.close);
    this.reader.close();
  };
}
