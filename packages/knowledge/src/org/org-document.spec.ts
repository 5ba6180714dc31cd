import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { orgFaults, parseOrg, type Span } from './org-document.js';
import { orgTimestamp, timestampIso } from './timestamp.js';

const LINES = [
  ':PROPERTIES:', ':ID: 1', ':END:', ':LOGBOOK:', '* One', '** Two :tag:', '***  ', 'Words [[id:a][b]] and [[file:../raw/x]].', '=[[id:a]]=',
  '#+title: T', '#+FILETAGS: :a:b:', '#+begin_src sh', '#+end_src', '#+begin_quote', '#+end_quote', '# comment', ': verbatim', '| a | b |',
  '- item', 'DEADLINE: <2026-06-01 Mon>', '', '   ', '[[id:open][goes on', 'here]]', '\u2028', '🙂 ünï',
]; // prettier-ignore
const org = fc
  .array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...LINES) }, { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) }), { maxLength: 40 })
  .chain((lines) => fc.constantFrom('\n', '\r\n').map((end) => lines.join(end))); // prettier-ignore

describe('an org file', () => {
  it('any org file is parsed without an error, and every position is right', () => {
    fc.assert(
      fc.property(org, (text) => {
        const document = parseOrg(text);
        const cut = ({ start, end }: Span) => text.slice(start, end);
        for (const { value, span } of [...document.keywords, ...(document.drawer?.properties ?? [])]) {
          expect(cut(span)).toBe(value);
        }
        for (const { target, span } of document.links) expect(cut(span)).toBe(target);
        for (const { span, level } of document.headlines) expect(cut(span)).toMatch(new RegExp(`^\\*{${level}} `));
        if (document.summary !== null) {
          expect(cut(document.summary).split(/\r?\n/).map((line) => line.trim()).join(' ')).toBe(document.summary.text);
          expect(document.summary.end).toBeLessThanOrEqual(document.body.start);
        }
        expect(document.body.end).toBe(text.length);
        const lines = text.split('\n').length;
        for (const { line } of document.faults) expect(line >= 1 && line <= lines).toBe(true);
        expect(orgFaults(text)).toEqual(document.faults);
      }),
      { numRuns: 1_000 },
    );
  }); // prettier-ignore

  it('headlines of an org file completely contain those below them and overlap no others', () => {
    fc.assert(
      fc.property(org, (text) => {
        const { headlines } = parseOrg(text);
        for (const [n, { span, level }] of headlines.entries()) {
          const next = headlines[n + 1];
          if (next === undefined) expect(span.end).toBe(text.length);
          else expect(next.level > level ? next.span.end <= span.end : next.span.start === span.end).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['a block that is not closed', '#+begin_src sh\nls\n', 'the block src is not closed'],
    ['an end without a beginning', 'text\n#+end_src\n', '"#+end_src" closes nothing'],
    ['a headline inside of a block', '#+begin_src sh\n* no\n#+end_src\n', 'the block src is not closed'],
    ['a drawer that nothing closes', ':PROPERTIES:\n:ID: 1\n', 'the property drawer has no :END:'],
    ['a drawer of properties in the middle', 'text\n:PROPERTIES:\n:ID: 1\n:END:\n', 'Emacs does not read a property drawer at this place'],
    ['a line in a drawer that is none of it', ':PROPERTIES:\nwords\n:END:\n', '"words" is no :KEY: value'],
  ])('the parser reports %s', (_name, text, message) => {
    expect(orgFaults(text).map((fault) => fault.message)).toContain(message);
  }); // prettier-ignore

  it.each([
    ['a word between colons', 'text\n:note:\nmore\n'],
    ['a drawer under a headline, or under its planning line', '* A\n:PROPERTIES:\n:ID: 1\n:END:\n* B\nDEADLINE: <2026-06-01 Mon>\n:PROPERTIES:\n:ID: 2\n:END:\n'],
    ['a star that does not begin a headline', '#+begin_src c\n *p = 1;\n#+end_src\n'],
  ])('the org parser finds no fault with %s', (_name, text) => expect(orgFaults(text)).toEqual([])); // prettier-ignore
});

describe('an org timestamp', () => {
  it('an org timestamp is read back as the minute that was written', () => {
    const date = fc.date({ min: new Date('1970-01-01'), max: new Date('2999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(date, (at) => {
        expect(timestampIso(orgTimestamp(at))).toBe(`${at.toISOString().slice(0, 16)}:00.000Z`);
        expect(timestampIso(at.toISOString())).toBe(at.toISOString());
      }),
    );
  });

  it.each(['[2026-06-31 Wed]', '[2026-13-01 Mon]', '2026-5-24', 'yesterday', '[2026-05-24 Sun 25:00]', '', '[2026-05-24'])(
    '%j is not an org timestamp',
    (text) => expect(timestampIso(text)).toBeNull(),
  ); // prettier-ignore
});
