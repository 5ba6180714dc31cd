import { COMMAND_TABLE } from '@aish/views/commands/table';
import { describe, expect, it } from '@jest/globals';
import { COMMANDS } from './table.js';
import type { Positional } from './command.js';

const SIGNS: Readonly<Record<Positional['shape'], (name: string) => string>> = {
  one: (name) => `<${name}>`,
  optional: (name) => `[${name}]`,
  many: (name) => `<${name}...>`,
  any: (name) => `[${name}...]`,
};

describe('the table of commands', () => {
  it.each(COMMAND_TABLE.map((command) => [command.name, command] as const))(
    'the command table of the views lists the same arguments for `aish %s` as the command itself',
    (name, { takes = '' }) => {
      const args = COMMANDS.find((each) => each.name === name)?.args ?? {};
      const words = Object.entries(args).map(([word, { shape }]) => SIGNS[shape](word));
      expect(takes).toBe(words.join(' '));
    },
  );
});
