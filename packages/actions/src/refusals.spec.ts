import { describe, expect, it } from '@jest/globals';
import { NOBODY } from '@aish/contracts/decisions';
import type { Held } from '@aish/contracts/effects';
import { OUTCOME } from '@aish/contracts/testing/outcome';
import type { Action } from './action.js';
import { refused } from './life/held.js';
import {
  attemptAt,
  attemptOf,
  pathsAllowedBy,
  pathsNamedIn,
  pathsRefused,
  pathsToLift,
  refusalsToHold,
  refusedBefore,
} from './refusals.js';

const NONE = { files: 0, bytes: 0 };
const outcome = (held: Partial<Held>) => ({
  ...OUTCOME,
  held: { verdict: 'waiting' as const, deleted: NONE, overwritten: NONE, own: null, ...held },
});
const deleted = (path: string) => ({ path, how: 'deleted', why: 'deleted' }) as const;

describe('what a refusal covers', () => {
  const refusal = {
    step: 3,
    action: 'rm -rf logs',
    words: 'do not delete the logs',
    paths: ['/workspace/logs'],
    lifted: ['/workspace/logs/old'],
  };

  it.each<[string, boolean]>([
    ['rm -rf logs', true],
    ['rm logs/a.log', true],
    ['cd logs && rm *', true],
    ['mv log? /tmp/', true],
    ['rm -rf .', true],
    ['rm -rf logs/old', false],
    ['rm -rf build', false],
    ['make clean', false],
  ])('`%s` conflicts with a refusal to change the logs: %s', (command, isMet) => {
    const quote = refusedBefore({ action: command, paths: pathsNamedIn(command) }, [refusal]);
    expect(quote).toBe(isMet ? 'You refused this at step 3: "do not delete the logs".' : null);
  });

  it('a refusal covers exactly the listed paths, and their folders if the question could not list every path', () => {
    const both = { items: [deleted('logs/a'), deleted('top')], deleted: { files: 2, bytes: 2 } };
    expect(pathsRefused(outcome(both))).toEqual(['/workspace/logs/a', '/workspace/top']);
    const many = { items: [deleted('logs/a')], deleted: { files: 2, bytes: 2 } };
    expect(pathsRefused(outcome(many))).toEqual(['/workspace/logs/a', '/workspace/logs']);
    const onHost = { items: [deleted('/mnt/media/a')], deleted: { files: 1, bytes: 1 } };
    expect(pathsRefused(outcome(onHost))).toEqual(['/mnt/media/a']);
  });

  it('a refusal no longer covers paths that a person has allowed since', () => {
    const held = { refused: [{ step: 3, words: null, paths: ['logs/a'] }] };
    expect(pathsAllowedBy(outcome(held))).toEqual(['/workspace/logs/a']);
  });

  const attempt = (action: string, ...paths: readonly string[]) => ({ ...refusal, action, paths, lifted: [] });
  const logs = [
    attempt('rm -rf logs', '/workspace/logs'),
    attempt('mv logs /tmp', '/workspace/logs'),
    attempt('a script', '/workspace/logs/a.log'),
  ];

  it.each<[string, readonly string[], number]>([
    ['at something else does not count', ['/workspace/build'], 0],
    ['at a part of the refused thing counts', ['/workspace/logs/a.log'], 3],
    ['at another part of the refused thing counts', ['/workspace/logs/b.log'], 3],
    ['at the folder around the refused thing counts', ['/workspace'], 3],
  ])('an attempt %s', (_, paths, nth) => {
    expect(attemptAt({ action: 'x', paths }, logs)).toBe(nth);
  });

  it.each<[string, readonly string[]]>([
    [`sqlite3 :memory: '.output rows.csv' 'select 1'`, ['/workspace/rows.csv']],
    [`python3 -c 'open("/workspace/rows.csv", "w")'`, ['/workspace/rows.csv']],
    [`sqlite3 x '.output old.rows.csv'`, []],
    [`sqlite3 x '.output other/rows.csv'`, []],
  ])('`%s` attempts to change %j, even if only code for a program contains the path', (command, paths) => {
    const rows = attempt('truncate -s 0 rows.csv', '/workspace/rows.csv');
    const { paths: attempted } = attemptOf(command, undefined, [rows]);
    expect(attempted.filter((path) => path === '/workspace/rows.csv').slice(0, 1)).toEqual(paths);
  });

  it('refusals of different things do not count as attempts at each other', () => {
    const others = ['a', 'b', 'c'].map((name) => attempt(`rm ${name}`, `/workspace/${name}`));
    expect(attemptAt({ action: 'rm *', paths: ['/workspace'] }, others)).toBe(1);
  });

  it('the same command counts as an attempt even if it names no path', () => {
    expect(attemptAt({ action: 'reboot', paths: [] }, [attempt('reboot'), attempt('reboot')])).toBe(2);
  });

  it('the verdict proceed allows its paths again, and at the last attempt all related paths', () => {
    expect(pathsToLift(['/workspace/logs/b.log'], logs.slice(0, 2))).toEqual(['/workspace/logs/b.log']);
    expect(pathsToLift(['/workspace/logs/a.log'], logs)).toEqual(['/workspace/logs/a.log', '/workspace/logs']);
    const lifted = logs.map((each) => ({ ...each, lifted: ['/workspace/logs', '/workspace/logs/a.log'] }));
    expect(attemptAt({ action: 'x', paths: ['/workspace/logs/b.log'] }, lifted)).toBe(0);
  });

  it('an old refusal with too many paths is sent to the sandbox as folders', () => {
    const many = Array.from({ length: 1_000 }, (_, n) => `/workspace/data/${'x'.repeat(200)}${n}`);
    const sent = refusalsToHold([{ ...refusal, paths: many }, refusal]);
    expect(sent.map(({ paths }) => paths)).toEqual([['/workspace/data'], ['/workspace/logs']]);
    expect(sent.at(-1)).toMatchObject({ step: 3, lifted: ['/workspace/logs/old'] });
  });

  it('a decision that expired refuses nothing', () => {
    const action: Action = { id: 'a', kind: 'command', command: 'rm a', state: 'halted', isCheck: false };
    expect(refused(action, null, NOBODY, ['/workspace/a'])).toEqual([]);
    expect(refused(action, null, 'admin', ['/workspace/a'])).toHaveLength(1);
  });
});
