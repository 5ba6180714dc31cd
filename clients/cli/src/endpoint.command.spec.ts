import { describe, expect, it } from '@jest/globals';
import type { AnyCommand } from './command.js';
import { COMMANDS } from './table.js';

const command = (name: string): AnyCommand => {
  const found = COMMANDS.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no command ${name}`);
  return found;
};

describe('a command generated from its endpoint', () => {
  it('a generated command refuses a reference to another kind of thing', () => {
    const read = command('schedule remove').args?.['schedule']?.read;
    expect(['s2', 's-2', '2'].map((text) => read?.(text))).toEqual(['2', '2', '2']);
    expect(() => read?.('g4')).toThrow('It must be a schedule: s2, 2 or its UUID.');
  });

  it('a generated command takes its options from the schema of the query or body', () => {
    const { state, archived, before } = command('goal list').options ?? {};
    expect(state?.choices).toContain('halted');
    expect([archived?.takes, before?.takes]).toEqual([undefined, 'n']);
    expect(() => before?.read('x')).toThrow('whole number');
    expect(command('memory set').options?.['tag']).toMatchObject({ isRepeatable: true });
  });

  it('a generated command takes the choices of a parameter from its schema', () => {
    expect(command('memory document compact').args?.['scope']?.choices).toContain('user');
  });
});
