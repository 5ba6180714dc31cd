import { StringDecoder } from 'node:string_decoder';
import { STDIO_LINE_MAX_CHARS } from '@aish/contracts/stdio';

/** Splits the output of a program into lines. Returns null if a line is too long, because nothing useful can follow. */
export class LineSplitter {
  private readonly decoder = new StringDecoder('utf8');
  private readonly parts: string[] = [];
  private length = 0;

  constructor(private readonly maxChars = STDIO_LINE_MAX_CHARS) {}

  push(bytes: Uint8Array): string[] | null {
    const lines = this.decoder.write(Buffer.from(bytes)).split('\n');
    const complete: string[] = [];
    for (const [n, part] of lines.entries()) {
      this.parts.push(part);
      this.length += part.length;
      if (this.length > this.maxChars) return null;
      if (n === lines.length - 1) break;
      complete.push(this.parts.join('').replace(/\r$/, ''));
      this.parts.length = 0;
      this.length = 0;
    }
    return complete;
  }
}
