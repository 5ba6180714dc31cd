import { describe, expect, it } from '@jest/globals';
import { RENAMED } from './renamed.js';
import { COMMAND_TABLE, GROUPS, TOPICS } from './table.js';

describe('the table of commands', () => {
  it('names each command once, short spellings included', () => {
    const names = COMMAND_TABLE.flatMap(({ name, short = [] }) => [name, ...short]);
    expect(names).toEqual([...new Set(names)]);
  });

  it('says what a command does with at most 60 characters that begin with a verb', () => {
    for (const about of [...COMMAND_TABLE.map((each) => each.about), ...Object.values(GROUPS)]) {
      expect([about, about.length <= 60 && /^[A-Z][a-z]+,? /.test(about) && !about.endsWith('.')]).toEqual([
        about,
        true,
      ]);
    }
  });

  it('has a few more commands than a hundred, each in a topic of the help', () => {
    expect(COMMAND_TABLE.length).toBeLessThanOrEqual(131);
    for (const { topic } of COMMAND_TABLE) expect(Object.keys(TOPICS)).toContain(topic);
  });

  it('says what each group is for', () => {
    const groups = COMMAND_TABLE.map(({ name }) => name.split(' ').slice(0, -1).join(' '));
    const known = [...Object.keys(GROUPS), ...COMMAND_TABLE.map(({ name }) => name), ''];
    expect(groups.filter((group) => !known.includes(group))).toEqual([]);
  });

  it('has what each spelling of an earlier version became', () => {
    const names = COMMAND_TABLE.flatMap(({ name, short = [] }) => [name, ...short]);
    const begins = (to: string): boolean => names.some((name) => `${to} `.startsWith(`${name} `));
    expect(Object.values(RENAMED).filter((to) => !begins(to))).toEqual([]);
    expect(Object.keys(RENAMED).filter((from) => names.includes(from) && from !== 'restore')).toEqual([]);
  });
});
