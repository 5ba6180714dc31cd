import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { StreamName } from './frame-splitter.js';
import { OutputMarks } from './output-marks.js';

const TOKEN = 'c0ffee';
const mark = (letter: string) => `\x1e${TOKEN}${letter}`;

/** What comes through, when the bytes of a stream arrive cut into pieces of these sizes. */
function read(marks: OutputMarks, stream: StreamName, text: string, sizes: readonly number[] = [7]): string {
  const bytes = Buffer.from(text);
  const output: Buffer[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = (sizes[i % sizes.length] ?? 0) + 1;
    for (const piece of marks.filter({ stream, bytes: bytes.subarray(at, at + size) }))
      output.push(Buffer.from(piece.bytes));
    at += size;
  }
  return Buffer.concat(output).toString();
}

describe('OutputMarks', () => {
  it('takes the marks out and nothing else, wherever the bytes are cut', () => {
    // Made of what marks are made of, so that beginnings of marks occur.
    const text = fc.string({ unit: fc.constantFrom('\x1e', 'c', '0', 'f', 'e', 'é', '\0', '\n'), maxLength: 40 });
    const plain = text.filter((value) => !value.includes(`\x1e${TOKEN}`));
    const sizes = fc.array(fc.nat(20), { minLength: 1 });
    fc.assert(
      fc.property(plain, plain, sizes, (out, err, cuts) => {
        const marks = new OutputMarks(TOKEN);
        const said = `${mark('s')}4096${mark('.')}${mark('\n')}${out}${mark('e')}3 1500\0/a\n\0X=1\0.\0${mark('z')}`;
        expect(read(marks, 'stdout', said, cuts)).toBe(out);
        expect([marks.begun, marks.sizeKib, marks.ending]).toEqual([true, 4096, null]);
        expect(read(marks, 'stderr', `${err}${mark('z')}`, cuts)).toBe(err);
        expect(marks.ending).toEqual({ exitCode: 3, durationMs: 1.5, session: Buffer.from('/a\n\0X=1\0.\0') });
      }),
    );
  });

  it('gives back what looked like a mark at the end of a stream', () => {
    const marks = new OutputMarks(TOKEN);
    expect(read(marks, 'stdout', `out\x1e${TOKEN}`)).toBe('out');
    expect(marks.rest().map(({ bytes }) => Buffer.from(bytes).toString())).toEqual([`\x1e${TOKEN}`]);
  });

  it('takes no ending that is none, and bounds what is handed back', () => {
    for (const ending of ['', 'x 1\0', '999 1\0', '3\0']) {
      const marks = new OutputMarks(TOKEN);
      read(marks, 'stdout', `${mark('e')}${ending}${mark('z')}`);
      read(marks, 'stderr', mark('z'));
      expect(marks.ending).toBeNull();
    }
    const marks = new OutputMarks(TOKEN);
    read(marks, 'stdout', `${mark('e')}0 1\0${'x'.repeat(300_000)}${mark('z')}`, [4095]);
    read(marks, 'stderr', mark('z'));
    expect(marks.ending).toEqual({ exitCode: 0, durationMs: 0.001, session: null });
  });

  it('says nothing more of a stream that is over', () => {
    const marks = new OutputMarks(TOKEN);
    expect(read(marks, 'stderr', `before${mark('z')}after`)).toBe('before');
    expect(read(marks, 'stderr', 'later')).toBe('');
  });
});
