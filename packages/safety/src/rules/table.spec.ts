import { describe, expect, it } from '@jest/globals';
import { classify } from '../classify.js';
import { knownReadOnly } from '../known-read-only.js';
import { parsePatterns, spelledOut } from './pattern.js';
import { table } from './table.js';

const spelled = (text: string): readonly string[] => parsePatterns(text).flatMap(spelledOut);

describe('a table of rules', () => {
  it('a table is read line by line, and two spaces separate several fields in one line', () => {
    const [rule] = table`
      rule  a.b  high  deletes things
      why   they are gone
      program x y   loses rm|del -> all of it   stops x rm ; x del   passes x ls
        reads ls
    `;
    expect(rule).toMatchObject({ id: 'a.b', severity: 'high', title: 'deletes things', why: 'they are gone' });
    expect(rule?.rows[0]).toMatchObject({ names: ['x', 'y'], stops: ['x rm', 'x del'], passes: ['x ls'] });
    expect(rule?.rows[0]?.loses[0]?.what).toBe('all of it');
  });

  it('a table of rules with a bad line is refused, and the error names that line', () => {
    expect(() => table`rule a.b dreadful x`).toThrow('dreadful');
    expect(() => table`program x`).toThrow('no rule before it');
    expect(
      () => table`
      rule a.b low x
      program y
        looses rm`,
    ).toThrow('looses rm');
    expect(
      () => table`
      rule a.b low x
      program y
        odd ${() => true}`,
    ).toThrow('why a pattern is not enough');
  });

  it('a bad pattern in a table is refused on the first use of its program, and the error names its text', () => {
    const [rule] = table`
      rule a.b low x
      program y
        loses set --a|b
        unless set --c|d  reads --e|f  makes --g|h`;
    const row = rule?.rows[0];
    expect(() => row?.loses).toThrow('--a|b');
    expect(() => row?.unless).toThrow('--c|d');
    expect(() => row?.reads).toThrow('--e|f');
    expect(() => row?.makes).toThrow('--g|h');
  });
});

describe('a pattern', () => {
  it('spelledOut gives examples of the command lines that a pattern matches', () => {
    expect(spelled('disk unlink|move, rm -f|--force !-n')).toEqual(['disk unlink', 'disk move', 'rm -f', 'rm --force']);
    expect(spelled('... delete-*, --mode=stop|kill')).toEqual(['delete-x', '--mode=stop']);
  });
});

describe('the table in use', () => {
  it('the abbreviations that a program accepts are recognized, and no others', () => {
    for (const text of ['qm des 100', 'pct sh 100', 'pvesm r x', 'jj tag d v1', 'git push --forc'])
      expect([text, classify(text).verdict]).toEqual([text, 'destructive']);
    for (const text of ['qm sta 100', 'qm li', 'git push --fo', 'git pus -f'])
      expect([text, classify(text).verdict]).toEqual([text, 'safe']);
  });

  it('only uses and options that the table of rules names count as read-only', () => {
    for (const text of ['git log --oneline -20', 'git status -sb', 'qm list --full', 'git branch -a'])
      expect([text, knownReadOnly(text)]).toEqual([text, true]);
    for (const text of [
      'git diff --output=f a b',
      'git grep -Ovi x',
      'git -c a=b log',
      'git log --ext-diff',
      'qm lis --new',
    ])
      expect([text, knownReadOnly(text)]).toEqual([text, false]);
  });

  it('classify finds everything that a command destroys, each with its position', () => {
    const text = 'rm -r b; git push --force && ls; curl -X DELETE http://h/x';
    const { others = [], ...first } = classify(text);
    expect([first, ...others].map(({ ruleId, span }) => [ruleId, text.slice(span?.[0], span?.[1])])).toEqual([
      ['files.remove', 'rm -r b'],
      ['git.push-force', 'git push --force'],
      ['http.delete', 'curl -X DELETE http://h/x'],
    ]);
  });

  it('classify reports how many objections it does not list', () => {
    const { others = [] } = classify('rm -r b;'.repeat(500));
    expect(others).toHaveLength(199);
    expect(others.at(-1)).toMatchObject({
      ruleId: 'unresolved.too-many',
      reason: '301 more parts of it are risky',
    });
  });
});
