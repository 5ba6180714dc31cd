import { describe, expect, it } from '@jest/globals';
import { endOf, outcomeOf, type Ending } from './outcome.js';

const ending: Ending = {
  exitCode: 0,
  oomKilled: false,
  durationMs: 12.4,
  stoppedFor: null,
  text: 'out',
  omittedBytes: 0,
};
const plain = { exitCode: 0, signal: null, outOfMemory: false, timedOut: false, cancelled: false, durationMs: 12 };

describe('outcomeOf', () => {
  it.each<[string, Partial<Ending>, object]>([
    ['an exit code', { exitCode: 3 }, { exitCode: 3 }],
    ['the signal behind a code past 128', { exitCode: 143 }, { exitCode: 143, signal: 'SIGTERM' }],
    ['the usual name of a signal with two', { exitCode: 134 }, { exitCode: 134, signal: 'SIGABRT' }],
    ['no signal where there is none of that number', { exitCode: 255 }, { exitCode: 255 }],
    ['a kill from inside', { exitCode: 137 }, { exitCode: 137, signal: 'SIGKILL' }],
    ['out of memory', { exitCode: 137, oomKilled: true }, { exitCode: 137, signal: 'SIGKILL', outOfMemory: true }],
    ['a child that ran out of memory', { oomKilled: true }, {}],
    ['the time limit', { exitCode: 137, stoppedFor: 'timeout' }, { exitCode: null, signal: 'SIGKILL', timedOut: true }],
    ['a cancel', { exitCode: 137, stoppedFor: 'cancel' }, { exitCode: null, signal: 'SIGKILL', cancelled: true }],
    ['an end by itself just before the kill', { exitCode: 0, stoppedFor: 'cancel' }, {}],
  ])('outcomeOf reads %s', (_what, of, expected) => {
    expect(outcomeOf({ ...ending, ...of })).toEqual({ ...plain, output: 'out', omittedBytes: 0, ...expected });
  });
});

describe('endOf', () => {
  it.each<[string, Partial<Ending>]>([
    ['ok', {}],
    ['failed', { exitCode: 3 }],
    ['killed', { exitCode: 137 }],
    ['out_of_memory', { exitCode: 137, oomKilled: true }],
    ['timed_out', { exitCode: 137, stoppedFor: 'timeout' }],
    ['cancelled', { exitCode: 137, stoppedFor: 'cancel' }],
  ])('endOf names the end of a run: %s', (word, of) => {
    expect(endOf(outcomeOf({ ...ending, ...of }))).toBe(word);
  });
});
