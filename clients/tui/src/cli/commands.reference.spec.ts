import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { commandsReference } from './commands.reference.js';
import { COMMANDS } from './table.js';

describe('the commands', () => {
  it('stand in docs/commands.md as the tables have them', () => {
    // To mend it: npm run build && node clients/tui/dist/cli/commands.main.js
    const written = readFileSync(new URL('../../../../docs/commands.md', import.meta.url), 'utf8');
    expect(written).toBe(commandsReference());
  });

  it('each have an example that begins as they do, and --json unless they print a file', () => {
    for (const { name, examples } of COMMANDS) {
      expect([name, examples.some((example) => example.includes(`aish ${name}`))]).toEqual([name, true]);
    }
    const without = COMMANDS.filter(({ json }) => json === undefined).map(({ name }) => name);
    expect(without).toEqual([
      'export', // --format json
      'sessions rm', // nothing to say
      'sessions export', // JSON lines
      'sessions result', // what the tool gave
      'files pull', // the file
      'files push', // nothing to say
      'memory export', // JSON lines
    ]);
  });
});
