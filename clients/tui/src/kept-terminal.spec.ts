import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { KeptTerminal, type Whereabouts } from './kept-terminal.js';

/** No process has this ID, because it is above Linux's maximum. */
const DEAD = 5_000_000;
const where = (prompt: string, server = 'http://a'): Whereabouts => ({
  server,
  view: 'goals',
  chat: null,
  goal: null,
  prompt,
});

describe('the saved state of a terminal', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'aish-kept-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('KeptTerminal restores each state of a crashed terminal once, the newest one first, for its own server', () => {
    new KeptTerminal(folder, DEAD).keep(where('one'));
    new KeptTerminal(folder, DEAD + 1).keep(where('two'));
    new KeptTerminal(folder, DEAD + 2).keep(where('three', 'http://b'));
    utimesSync(join(folder, `${DEAD}.json`), 1_000_000, Date.now() / 1000 - 60);
    const kept = new KeptTerminal(folder);
    expect(kept.take('http://a', Date.now())?.prompt).toBe('two');
    expect(kept.take('http://a', Date.now())?.prompt).toBe('one');
    expect(kept.take('http://a', Date.now())).toBeNull();
    expect(kept.take('http://b', Date.now())?.prompt).toBe('three');
  });

  it('KeptTerminal does not restore the state of a running terminal, or a state that is older than a day', () => {
    new KeptTerminal(folder, process.ppid).keep(where('runs'));
    new KeptTerminal(folder, DEAD).keep(where('old'));
    const kept = new KeptTerminal(folder);
    expect(kept.take('http://a', Date.now() + 25 * 3_600_000)).toBeNull();
    expect(readdirSync(folder)).toEqual([`${process.ppid}.json`]);
  });

  it('KeptTerminal deletes the saved state when the person quits', () => {
    const kept = new KeptTerminal(folder);
    kept.keep(where('x'));
    kept.forget();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('KeptTerminal throws no error if it cannot write the saved state', () => {
    writeFileSync(join(folder, 'file'), '');
    const kept = new KeptTerminal(join(folder, 'file', 'below'));
    kept.keep(where('x'));
    kept.forget();
    expect(kept.take('http://a', 0)).toBeNull();
  });
});
