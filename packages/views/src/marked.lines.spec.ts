import { describe, expect, it } from '@jest/globals';
import type { EventBody } from '@aish/contracts/events';
import fc from 'fast-check';
import { EventPrinter } from './event.printer.js';
import { textOf } from './line.js';
import { MarkedStream, gutter, markOf, markedLines } from './marked.lines.js';
import { piecesMarkdown } from './pieces.markdown.js';
import { StreamCleaner } from './sanitise.js';

const ID = '00000000-0000-4000-8000-000000000001';
const WIDTH = 30;
const safe = { verdict: 'safe', reason: null, ruleId: null, span: null, by: 'rule' } as const;
const of = { goalId: ID, actionId: ID, step: 1, kind: 'command' } as const;
const outcome = {
  exitCode: 0, signal: null, outOfMemory: false, timedOut: false, cancelled: false, durationMs: 5, omittedBytes: 0,
}; // prettier-ignore

/** Returns events with everything that a model or a command may output in a goal. */
const events = (text: string): readonly EventBody[] => [
  { type: 'goal.created', goalId: ID, number: 7, text, preset: 'fast', stepBudget: 4 },
  { type: 'step.started', goalId: ID, step: 1, stepBudget: 4 },
  { type: 'step.answered', goalId: ID, step: 1, text, model: null, usage: null },
  { type: 'action.classified', ...of, n: 1, command: text, classification: safe },
  { type: 'action.finished', ...of, outcome: { ...outcome, output: text }, result: null },
  { type: 'action.finished', ...of, kind: 'tool', outcome: null, result: { text, isError: false, omittedBytes: 0 } },
  { type: 'decision.requested', goalId: ID, decisionId: ID, number: 3, kind: 'question', actionId: null, step: 1, stepBudget: 4, reason: 'it asks', action: text },
  { type: 'goal.changed', goalId: ID, state: 'done', reason: null, waitingFor: null, summary: text },
]; // prettier-ignore
const piecesOf = (text: string) => {
  const printer = new EventPrinter();
  return events(text).flatMap((body) => printer.print(body));
};
const linesOf = (text: string, width = Infinity): readonly string[] => markedLines(piecesOf(text), width).map(textOf);

const forgery = fc
  .array(
    fc.oneof(
      fc.constantFrom('    HALT d7: deletes files', 'd7: proceed by admin', '    exit 0 · 1.8 s', '✓ done', '  $ rm x'),
      fc.constantFrom('\n', '\r', '\r\n', '\u2028', '\u2029', '\u0085', '\v', '\f', '\b', '\u001b[2K', '\u001b[1G'),
      fc.constantFrom('\u001bM', '\u009b1A', '\u202e', '\u200b', '\u0301', '日', '👍', ' ', '\t', '│ ', 'word '),
      fc.string({ unit: 'binary', maxLength: 5 }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''));
/** Counts cells in the way in which a terminal breaks a line. */
const cells = (line: string): number =>
  Array.from(line).reduce(
    (sum, char) => sum + (/\p{Mn}|\p{Me}/u.test(char) ? 0 : char === '日' || char === '👍' ? 2 : 1),
    0,
  );
const isOwn = (line: string): boolean => !/^ *(?:[│›] ?|\$ )/.test(line);

describe('lines of aish', () => {
  it("texts of models, commands and people never change aish's own lines, with or without a width", () => {
    fc.assert(
      fc.property(forgery, (text) => {
        for (const width of [WIDTH, Infinity]) {
          const lines = linesOf(text, width);
          expect(lines.filter(isOwn)).toEqual(linesOf('', width).filter(isOwn));
          for (const line of lines) {
            expect(line).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
            expect(cells(line)).toBeLessThanOrEqual(width);
          }
        }
      }),
    );
  });

  it("aish's own lines have no mark, and all other lines have one", () => {
    const lines = markedLines(piecesOf('x')).filter((each) => !textOf(each).startsWith('  $ '));
    expect(lines.map((each) => markOf(each) === '')).toEqual(lines.map((each) => isOwn(textOf(each))));
  });

  it("aish's own lines never begin with the gutter, but the continuation of a long one does", () => {
    expect(linesOf('x').filter(isOwn).join('\n')).not.toMatch(/^ *│/m);
    const long = markedLines([{ as: 'text', spans: [{ text: 'word '.repeat(9), style: 'bad' }], depth: 1 }], WIDTH);
    expect(long.map(textOf)).toEqual(['  word word word word word ', '  │ word word word word ']);
  });

  it('other texts never change the lines outside quotes and fences in Markdown', () => {
    const own = (text: string) =>
      piecesMarkdown(piecesOf(text))
        .replaceAll(/^(`{3,})\n[^]*?\n\1$/gm, '')
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('>'));
    fc.assert(fc.property(forgery, (text) => expect(own(`a${text}`)).toEqual(own('a'))));
  });
});

it('each line of streamed text has the gutter and fits the terminal', () => {
  fc.assert(
    fc.property(fc.array(forgery), (pieces) => {
      const cleaner = new StreamCleaner();
      const lead = gutter(1);
      const stream = new MarkedStream({ text: lead, cells: lead.length }, () => WIDTH);
      const written = pieces.map((piece) => stream.push(cleaner.push(piece))).join('') + stream.end();
      expect(written === '' || written.endsWith('\n')).toBe(true);
      for (const line of written.split('\n').slice(0, -1)) {
        expect(line.startsWith(lead)).toBe(true);
        expect(cells(line)).toBeLessThanOrEqual(WIDTH);
      }
    }),
  );
});
