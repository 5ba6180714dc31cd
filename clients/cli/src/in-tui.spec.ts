import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { uuid } from '@aish/client/testing/fixtures';
import { json, startScriptedServer } from '@aish/client/testing/scripted.server';
import { META_COMMANDS } from '@aish/tui/meta/meta-command';
import { MetaRunner } from '@aish/tui/meta/meta-runner';
import { textOf } from '@aish/views/line';
import { runCli } from './run.js';
import { COMMANDS } from './table.js';

describe('the terminal UI', () => {
  it('every command that the terminal UI runs exists in the CLI', () => {
    const known = new Set(COMMANDS.map(({ name }) => name));
    const run = META_COMMANDS.flatMap(({ aish }) => aish ?? []);
    expect(run.length).toBeGreaterThan(90);
    expect(run.filter((name) => !known.has(name))).toEqual([]);
  });

  it('the terminal UI shows an error for an invalid argument', async () => {
    const runner = new MetaRunner({ AISH_URL: 'http://127.0.0.1:1', AISH_TOKEN_FILE: '/nowhere' }, [], runCli);
    for (const words of [['abc'], ['0'], ['238', 'abc']]) {
      const { lines, isGood } = await runner.run(['memory', 'remove', ...words], AbortSignal.timeout(20_000));
      expect(isGood).toBe(false);
      expect(lines.map(textOf).join('')).toMatch(/^error: \S/);
    }
  });

  it('the terminal UI shows the output of a command', async () => {
    const server = await startScriptedServer();
    const folder = await mkdtemp(join(tmpdir(), 'aish-in-tui-'));
    try {
      await writeFile(join(folder, 'token'), 't');
      const config = { AISH_URL: server.url, AISH_TOKEN_FILE: join(folder, 'token'), XDG_CONFIG_HOME: folder };
      const none = { files: 0, bytes: 0, paths: [] };
      const effects = { created: none, changed: none, deleted: { files: 1, bytes: 9, paths: ['a'] }, complete: true };
      server.on(`GET /v1/actions/${uuid(3)}/undo`, json({ effects, touched: [] }));
      const runner = new MetaRunner(config, [], runCli);
      const { lines, isGood } = await runner.run(['undo', uuid(3), '--dry-run'], AbortSignal.timeout(20_000));
      expect([isGood, ...lines.map(textOf)]).toEqual([true, 'lost: 1 file, 9 B', '  a']);
    } finally {
      await server.close();
      await rm(folder, { recursive: true });
    }
  });

  it('the terminal UI shows the lines of aish brief, and its changes and comparisons', async () => {
    const server = await startScriptedServer();
    const folder = await mkdtemp(join(tmpdir(), 'aish-in-tui-'));
    try {
      await writeFile(join(folder, 'token'), 't');
      const config = { AISH_URL: server.url, AISH_TOKEN_FILE: join(folder, 'token'), XDG_CONFIG_HOME: folder };
      const at = new Date(0).toISOString();
      server.on(
        'GET /v1/brief',
        json({ at, findings: [], hosts: [], lines: ['All quiet.'], sentences: [], work: ['1 done (g4).'] }),
      );
      const runner = new MetaRunner(config, [], runCli);
      const { lines, isGood } = await runner.run(['brief', '--kept'], AbortSignal.timeout(20_000));
      expect([isGood, ...lines.map(textOf)]).toEqual([true, 'All quiet.', '1 done (g4).']);

      const curl = { host: 'web', probe: 'package', name: 'curl', before: null, after: '8.14' };
      server.on('GET /v1/brief/changes', json({ items: [curl] }));
      const outputOf = async (...words: readonly string[]) =>
        (await runner.run(['brief', ...words], AbortSignal.timeout(20_000))).lines.map(textOf);
      expect(await outputOf('--since', 'last')).toEqual(['web  package curl  new: 8.14']);
      expect(await outputOf('compare', 'nas', 'web')).toEqual(['package curl  nas: none, web: 8.14']);
    } finally {
      await server.close();
      await rm(folder, { recursive: true });
    }
  });
});
