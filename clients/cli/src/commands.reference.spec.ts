import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect, it } from '@jest/globals';
import { tuiReference } from '@aish/tui/tui.reference';
import { commandsReference } from './commands.reference.js';
import { pathOf } from './help.js';
import { makeProgram } from './program.js';
import { COMMANDS } from './table.js';

/** What a shell makes of the part of a line that is an `aish` command. */
function wordsOf(line: string): readonly string[] {
  const [, command = ''] = /(?:^|[\s(])aish ([^|<>)]*)/.exec(line) ?? [];
  return [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? '',
  );
}

/** The program with actions that only say which command it was. @throws CommanderError for words that are none. */
async function commandIn(words: readonly string[]): Promise<string> {
  const said = { write: () => true };
  const program = makeProgram({
    io: { stdin: process.stdin, stdout: said, stderr: said, config: {}, signal: new AbortController().signal },
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

describe('the commands', () => {
  it('stand in docs/commands.md as the tables have them', () => {
    // To mend it: npm run build && node clients/cli/dist/commands.main.js
    const written = readFileSync(new URL('../../../docs/commands.md', import.meta.url), 'utf8');
    expect(written).toBe(commandsReference(tuiReference()));
  });

  it('understand every example of that page: words, options and values', async () => {
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

  it('each have an example that begins as they do, and --json unless they print a file', () => {
    for (const { name, short = [], examples } of COMMANDS) {
      const begins = examples.some((example) => [name, ...short].some((each) => example.includes(`aish ${each}`)));
      expect([name, begins]).toEqual([name, true]);
    }
    const without = COMMANDS.filter(({ json }) => json === undefined).map(({ name }) => name);
    expect(without).toEqual([
      'remove', // nothing to say
      'export', // --format json
      'file pull', // the file
      'file push', // nothing to say
      'memory export', // JSON lines
      'setup', // a conversation
      'acp', // it speaks a protocol
    ]);
  });
});
