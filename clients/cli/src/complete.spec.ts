import { describe, expect, it } from '@jest/globals';
import { completionsFor } from './complete.js';
import { GROUPS } from '@aish/views/commands/table';
import { COMMANDS } from './table.js';

const complete = (...words: readonly string[]) => completionsFor(COMMANDS, GROUPS, words);
const texts = (...words: readonly string[]) => complete(...words).items.map(({ text }) => text);

describe('shell completion', () => {
  it('the shell completes commands, groups and commands in groups', () => {
    expect(texts('go')).toEqual(['goals', 'goal']);
    expect(complete('saf').items).toEqual([{ text: 'safety', about: GROUPS['safety'] }]);
    expect(texts('safety', '')).toEqual(['list', 'check']);
    expect(texts('event', '')).toEqual(['list', 'show', 'replay', 'source', 'rule']);
    expect(texts('event', 'source', 'a')).toEqual(['add']);
  });

  it('the shell completes options and their values', () => {
    expect(texts('goals', '--s')).toEqual(['--state']);
    expect(texts('goals', '--state', 'ha')).toEqual(['halted']);
    expect(texts('decide', '--message', 'x', 'd1', 'p')).toEqual(['proceed']);
    expect(texts('goals', '--j')).toEqual(['--json']);
  });

  it('completion asks the server for the names of goals and decisions', () => {
    expect(complete('show', '')).toEqual({ items: [], suggests: 'goal' });
    expect(complete('decide', '')).toEqual({ items: [], suggests: 'decision' });
  });
});

describe('the table of commands', () => {
  it('every command has an example, and every group has a description', () => {
    for (const { name, examples } of COMMANDS)
      expect(examples.some((example) => example.includes('aish'))).toBe(name !== '');
    const groups = COMMANDS.flatMap(({ name }) => (name.includes(' ') ? [name.split(' ').slice(0, -1).join(' ')] : []));
    expect(
      [...new Set(groups)].filter(
        (group) => GROUPS[group] === undefined && !COMMANDS.some(({ name }) => name === group),
      ),
    ).toEqual([]);
  });
});
