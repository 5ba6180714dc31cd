import { describe, expect, it } from '@jest/globals';
import { DIGEST_NAMES_MAX, digestMarkdown, digestText, saysSomething, type Digest } from './digest.js';

const none = { count: 0, named: [] };
const nothing: Digest = {
  from: '2026-11-16T07:00:00.000Z',
  to: '2026-11-23T07:00:00.000Z',
  goals: { verified: none, done: none, failed: none, aborted: none, waiting: none },
  halts: { asked: 0, answered: {}, withdrawn: 0, medianMs: null, open: none },
  effects: {
    created: { files: 0, bytes: 0 },
    changed: { files: 0, bytes: 0 },
    deleted: { files: 0, bytes: 0 },
    undone: 0,
  },
  hosts: none,
  tokens: [],
  energyJ: null,
};

const goal = (number: number, state: string, text: string) => ({ number, state, text });
const week: Digest = {
  ...nothing,
  goals: {
    verified: { count: 1, named: [goal(4, 'done', 'tidy up\nthe [copies](http://evil)')] },
    done: { count: 22, named: Array.from({ length: DIGEST_NAMES_MAX }, (_, n) => goal(50 - n, 'done', 'look')) },
    failed: { count: 1, named: [goal(7, 'blocked', 'mend\u202e it')] },
    aborted: none,
    waiting: { count: 1, named: [goal(9, 'halted', 'x'.repeat(300))] },
  },
  halts: {
    asked: 5,
    answered: { proceed: 3, skip: 1 },
    withdrawn: 1,
    medianMs: 240_000,
    open: { count: 1, named: [{ number: 40, goal: 9, action: 'rm -rf x*' }] },
  },
  effects: {
    created: { files: 1_200, bytes: 3_200_000 },
    changed: { files: 0, bytes: 0 },
    deleted: { files: 1, bytes: 12 },
    undone: 1,
  },
  hosts: { count: 1, named: [{ host: 'nas', commands: 14, refused: 1, goals: [4, 9] }] },
  tokens: [{ preset: 'fast', read: 120_000, written: 8_000 }],
  energyJ: 45_000,
};

describe('a digest', () => {
  it('says in lines what happened', () => {
    const lines = digestText(week).split('\n');
    expect(lines.filter((line) => !line.endsWith(' look'))).toEqual([
      '2026-11-16 07:00 to 2026-11-23 07:00 UTC',
      '',
      'Goals',
      '- 1 done and verified',
      '  - g4 tidy up the [copies](http://evil)',
      '- 22 done',
      '  - and 2 more',
      '- 1 failed',
      '  - g7 mend⟨U+202E⟩ it (blocked)',
      '- 1 waiting now',
      `  - g9 ${'x'.repeat(119)}… (halted)`,
      '',
      'HALTs',
      '- 5 asked',
      '- answered: 3 proceed, 1 skip, 1 withdrawn',
      '- half of the verdicts came within 4 min',
      '- d40 is open, g9: rm -rf x*',
      '',
      'Files',
      '- 1,200 created, 3.2 MB',
      '- 1 deleted, 12 B',
      '- 1 command undone',
      '',
      'Hosts',
      '- nas: 14 commands, 1 refused; g4, g9',
      '',
      'Tokens',
      '- fast: 120,000 read, 8,000 written',
      '',
      'Energy',
      '- 13 Wh, as model servers told',
    ]);
    expect(lines.filter((line) => line.endsWith(' look'))).toHaveLength(DIGEST_NAMES_MAX);
  });

  it('names fewer in a notice, and what a goal says is no Markdown there', () => {
    const said = digestMarkdown(week);
    expect(said).toContain('**Goals**\n\n- 1 done and verified\n  - g4 tidy up the \\[copies\\](http://evil)\n');
    expect(said).toContain('- d40 is open, g9: rm -rf x\\*');
    expect(said.match(/ look$/gm)).toHaveLength(5);
    expect(said).toContain('  - and 17 more');
  });

  it('says nothing of energy where no server told', () => {
    expect(digestText({ ...week, energyJ: null })).not.toContain('Energy');
  });

  it('knows when there is nothing to say', () => {
    expect([saysSomething(nothing), saysSomething(week)]).toEqual([false, true]);
    expect(saysSomething({ ...nothing, tokens: [{ preset: 'fast', read: 1, written: 0 }] })).toBe(true);
    expect(digestText(nothing)).toBe('2026-11-16 07:00 to 2026-11-23 07:00 UTC\n\nNothing happened.');
  });
});
