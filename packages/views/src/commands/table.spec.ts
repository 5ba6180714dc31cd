import { describe, expect, it } from '@jest/globals';
import { RENAMED } from './renamed.js';
import { COMMAND_TABLE, GROUPS, TOPICS } from './table.js';

describe('the table of commands', () => {
  it('no two commands share a name or a short form', () => {
    const names = COMMAND_TABLE.flatMap(({ name, short = [] }) => [name, ...short]);
    expect(names).toEqual([...new Set(names)]);
  });

  it('each description of a command has at most 60 characters and begins with a verb', () => {
    for (const about of [...COMMAND_TABLE.map((each) => each.about), ...Object.values(GROUPS)]) {
      expect([about, about.length <= 60 && /^[A-Z][a-z]+,? /.test(about) && !about.endsWith('.')]).toEqual([
        about,
        true,
      ]);
    }
  });

  it('there are at most 125 commands, and each belongs to a topic of the help', () => {
    expect(COMMAND_TABLE.length).toBeLessThanOrEqual(125);
    for (const { topic } of COMMAND_TABLE) expect(Object.keys(TOPICS)).toContain(topic);
  });

  it('each group of commands has a description', () => {
    const groups = COMMAND_TABLE.map(({ name }) => name.split(' ').slice(0, -1).join(' '));
    const known = [...Object.keys(GROUPS), ...COMMAND_TABLE.map(({ name }) => name), ''];
    expect(groups.filter((group) => !known.includes(group))).toEqual([]);
  });

  it('each old spelling of a command leads to an existing command', () => {
    const names = COMMAND_TABLE.flatMap(({ name, short = [] }) => [name, ...short]);
    const begins = (to: string): boolean => names.some((name) => `${to} `.startsWith(`${name} `));
    expect(Object.values(RENAMED).filter((to) => !begins(to))).toEqual([]);
    expect(Object.keys(RENAMED).filter((from) => names.includes(from) && from !== 'restore')).toEqual([]);
  });
});
