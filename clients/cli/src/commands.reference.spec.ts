import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect, it } from '@jest/globals';
import { tuiReference } from '@aish/tui/tui.reference';
import { commandsReference } from './commands.reference.js';
import { pathOf } from './help.js';
import { makeProgram } from './program.js';
import { COMMANDS } from './table.js';

/** Returns the words into which a shell splits the `aish` command in a line. */
function wordsOf(line: string): readonly string[] {
  const [, command = ''] = /(?:^|[\s(])aish ([^|<>)]*)/.exec(line) ?? [];
  return [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? '',
  );
}

/** Parses with actions that only report the command's name. @throws CommanderError if the words are not a command */
async function commandIn(words: readonly string[]): Promise<string> {
  const silent = { write: () => true };
  const program = makeProgram({
    io: { stdin: process.stdin, stdout: silent, stderr: silent, config: {}, signal: new AbortController().signal },
    exit: () => undefined,
    openTui: () => Promise.resolve(0),
    serveEditor: () => Promise.resolve(),
  });
  let name = '';
  const all = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(all)];
  for (const command of all(program)) {
    command.action(() => void (name = pathOf(command).replace(/^aish ?/, '')));
  }
  await program.parseAsync([...words], { from: 'user' });
  return name;
}

describe('the command reference', () => {
  it('docs/commands.md matches the command tables', () => {
    // If this fails: npm run build && node clients/cli/dist/commands.main.js
    const written = readFileSync(new URL('../../../docs/commands.md', import.meta.url), 'utf8');
    expect(written).toBe(commandsReference(tuiReference()));
  });

  it('the parser accepts every example in docs/commands.md', async () => {
    const examples = COMMANDS.flatMap(({ examples: lines }) => lines);
    const names = COMMANDS.flatMap(({ name, short = [] }) => [name, ...short]);
    expect(examples.length).toBeGreaterThan(100);
    const wrong: unknown[] = [];
    for (const line of examples) {
      const found = await commandIn(wordsOf(line)).catch(String);
      if (!names.includes(found)) wrong.push([line, found]);
    }
    expect(wrong).toEqual([]);
  });

  it('each command has an example with its name, and supports --json unless it is a listed exception', () => {
    for (const { name, short = [], examples } of COMMANDS) {
      const begins = examples.some((example) => [name, ...short].some((each) => example.includes(`aish ${each}`)));
      expect([name, begins]).toEqual([name, true]);
    }
    const without = COMMANDS.filter(({ json }) => json === undefined).map(({ name }) => name);
    expect(without).toEqual([
      'remove', // it has no output
      'export', // it has --format json
      'file pull', // it prints the file
      'file push', // it has no output
      'memory export', // it prints JSON lines
      'setup', // it is a dialog
      'acp', // it speaks a protocol
    ]);
  });
});
