import { describe, expect, it } from '@jest/globals';
import { classify } from '../classify.js';
import { knownReadOnly } from '../known-read-only.js';
import { spelledOut, type Pattern } from './pattern.js';
import type { Row } from './program.js';
import { underEachName } from './programs.js';
import { SUBJECTS } from './subjects.js';

const rows = SUBJECTS.flatMap((table) => table.rows);
const spelled = ({ names }: Row, patterns: readonly Pattern[]): readonly string[] =>
  names.flatMap((name) => patterns.flatMap(spelledOut).map((line) => `${name} ${line}`.trim()));

describe.each(SUBJECTS.map((table) => [table.id, table] as const))('the programs of %s', (id, table) => {
  it('every program has examples of both kinds, which hold under each of its names', () => {
    for (const row of table.rows) {
      expect([row.names[0], row.stops.length > 0, row.passes.length > 0]).toEqual([row.names[0], true, true]);
      const examples = underEachName(row, [...row.stops, ...row.passes]);
      for (const name of row.names.slice(1)) expect(examples.some((text) => text.includes(name))).toBe(true);
      for (const text of underEachName(row, row.stops)) expect([text, classify(text).ruleId]).toEqual([text, id]);
      for (const text of underEachName(row, row.passes)) expect([text, classify(text).verdict]).toEqual([text, 'safe']);
    }
  });

  it("every destructive word of a program's patterns is stopped", () => {
    const texts = table.rows.flatMap((row) => spelled(row, row.loses.map(({ pattern }) => pattern))); // prettier-ignore
    expect(texts.filter((text) => classify(text).verdict !== 'destructive')).toEqual([]);
  });

  it('a use that only creates something passes, and a use that only reads is known as read-only', () => {
    const made = table.rows.flatMap((row) => spelled(row, row.makes));
    expect(made.filter((text) => classify(text).verdict !== 'safe')).toEqual([]);
    const read = table.rows.flatMap((row) => spelled(row, row.reads));
    expect(read.filter((text) => !knownReadOnly(text))).toEqual([]);
  });
});

describe('the table', () => {
  it('a rule has at most one row for a program, and each row names what is lost', () => {
    for (const { id, rows: own } of SUBJECTS) {
      const names = own.flatMap((row) => row.names);
      expect([id, names.length]).toEqual([id, new Set(names).size]);
    }
    expect(rows.filter(({ loses, odd }) => loses.length === 0 && odd === null)).toEqual([]);
  });

  it('only one row of a program lists its `makes`, `reads` and `abbreviates`', () => {
    const descriptions = rows
      .filter(({ makes, reads, abbreviates }) => makes.length + reads.length + abbreviates.size > 0)
      .flatMap(({ names }) => names);
    expect(descriptions.length).toBe(new Set(descriptions).size);
  });
});
