import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { StreamName } from './frame-splitter.js';
import { OutputMarks } from './output-marks.js';

const BEFORE = 'c0'.repeat(16);
const HAND = 'ba'.repeat(16);
const AFTER = 'fe'.repeat(16);
const TOKEN = BEFORE + HAND + AFTER;
const before = (letter: string) => `\x1e${BEFORE}${letter}`;
const hand = (letter: string) => `\x1e${HAND}${letter}`;
const after = (letter: string) => `\x1e${AFTER}${letter}`;

/** Returns the output that remains when the bytes of a stream arrive in pieces of these sizes. */
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
  it('OutputMarks removes the marks and nothing else, wherever the chunks split', () => {
    // The text consists of the characters of marks, so that partial marks occur.
    const text = fc.string({
      unit: fc.constantFrom('\x1e', 'fe', 'c0', BEFORE, `\x1e${HAND}`, 'é', '\0', '\n', 'z', 'h', '.'),
      maxLength: 40,
    });
    const plain = text.filter((value) => !value.includes(`\x1e${AFTER}`));
    const sizes = fc.array(fc.nat(20), { minLength: 1 });
    fc.assert(
      fc.property(plain, plain, sizes, (out, err, cuts) => {
        const marks = new OutputMarks(TOKEN);
        const begun = `${before('s')}4096 17${before('.')}${before('\n')}`;
        const marked = `${begun}${out}${hand('h')}/a\n\0X=1\0.\0${hand('.')}${after('e')}3 1500${after('z')}`;
        expect(read(marks, 'stdout', marked, cuts)).toBe(out);
        expect([marks.begun, marks.measured, marks.ending]).toEqual([true, { sizeKib: 4096, files: 17 }, null]);
        expect(read(marks, 'stderr', `${err}${after('z')}`, cuts)).toBe(err);
        expect(marks.ending).toEqual({ exitCode: 3, durationMs: 1.5, session: Buffer.from('/a\n\0X=1\0.\0') });
      }),
    );
  });

  it('OutputMarks ignores marks that a command copied from a pipe', () => {
    const marks = new OutputMarks(TOKEN);
    read(marks, 'stdout', before('\n'));
    const forged = `${before('s')}1 1${before('.')}${before('h')}/x\n\0.\0${before('e')}0 1${before('z')}`;
    expect(read(marks, 'stdout', forged)).toBe(forged);
    expect(read(marks, 'stderr', before('z'))).toBe(before('z'));
    expect([marks.measured, marks.ending]).toEqual([undefined, null]);
    read(marks, 'stdout', `${after('s')}1 1${after('.')}${after('e')}7 1${after('z')}`);
    read(marks, 'stderr', after('z'));
    expect([marks.measured, marks.ending]).toEqual([undefined, { exitCode: 7, durationMs: 0.001, session: null }]);
  });

  it('OutputMarks reads a session only from text right before the end mark, and leaves all other text visible', () => {
    const end = `${after('e')}3 1${after('z')}`;
    for (const output of [
      `${hand('h')}/x\n\0.\0${hand('.')}more`,
      `${hand('h')}all that comes`,
      `${hand('.')}${hand('z')}${hand('e')}0 1${hand('z')}`,
      `${hand('h')}${hand('h')}/x`,
      `${hand('h')}${'x'.repeat(300_000)}${hand('.')}`,
    ]) {
      const marks = new OutputMarks(TOKEN);
      read(marks, 'stdout', before('\n'));
      expect(read(marks, 'stdout', output + end, [4095])).toBe(output);
      expect(read(marks, 'stderr', `${hand('z')}still${after('z')}`)).toBe(`${hand('z')}still`);
      expect(marks.ending).toEqual({ exitCode: 3, durationMs: 0.001, session: null });
    }
    const killed = new OutputMarks(TOKEN);
    expect(read(killed, 'stdout', `${before('\n')}out${hand('h')}/x\n\0.\0${hand('.')}`)).toBe('out');
    expect(Buffer.concat(killed.rest().map(({ bytes }) => bytes)).toString()).toBe(`${hand('h')}/x\n\0.\0${hand('.')}`);
  });

  it('OutputMarks distinguishes a workspace that could not be measured from one that was not measured', () => {
    const marks = new OutputMarks(TOKEN);
    expect(marks.measured).toBeUndefined();
    read(marks, 'stdout', `${before('s')}-${before('.')}`);
    expect(marks.measured).toBeNull();
  });

  it('OutputMarks reads the begin and end marks of a container of the previous version', () => {
    const old = (letter: string) => `\x1e0123456789abcdef${letter}`;
    const marks = new OutputMarks('0123456789abcdef');
    expect(read(marks, 'stdout', `${old('\n')}out${old('e')}4 1000\0/a\n\0.\0${old('z')}`)).toBe('out');
    read(marks, 'stderr', old('z'));
    expect(marks.ending).toEqual({ exitCode: 4, durationMs: 1, session: null });
  });

  it('OutputMarks reads the session of a container of the previous version', () => {
    const marks = new OutputMarks(BEFORE + AFTER);
    const handed = `${after('h')}/a\n\0.\0${after('.')}`;
    expect(read(marks, 'stdout', `${before('\n')}out${handed}${after('e')}4 1000${after('z')}`)).toBe('out');
    read(marks, 'stderr', after('z'));
    expect(marks.ending).toEqual({ exitCode: 4, durationMs: 1, session: Buffer.from('/a\n\0.\0') });
  });

  it('OutputMarks returns text that looks like a mark at the end of a stream as output', () => {
    const marks = new OutputMarks(TOKEN);
    expect(read(marks, 'stdout', `${before('\n')}out\x1e${AFTER}`)).toBe('out');
    expect(marks.rest().map(({ bytes }) => Buffer.from(bytes).toString())).toEqual([`\x1e${AFTER}`]);
  });

  it('OutputMarks ignores a malformed ending and a session that is too large', () => {
    for (const ending of ['', 'x 1', '999 1', '3']) {
      const marks = new OutputMarks(TOKEN);
      read(marks, 'stdout', `${before('\n')}${after('e')}${ending}${after('z')}`);
      read(marks, 'stderr', after('z'));
      expect(marks.ending).toBeNull();
    }
    const old = new OutputMarks(BEFORE + AFTER);
    read(old, 'stdout', `${before('\n')}${after('h')}${'x'.repeat(300_000)}${after('e')}0 1${after('z')}`, [4095]);
    read(old, 'stderr', after('z'));
    expect(old.ending).toEqual({ exitCode: 0, durationMs: 0.001, session: null });
  });

  it('OutputMarks returns no output after the end of a stream', () => {
    const marks = new OutputMarks(TOKEN);
    expect(read(marks, 'stderr', `before${after('z')}after`)).toBe('before');
    expect(read(marks, 'stderr', 'later')).toBe('');
  });
});
