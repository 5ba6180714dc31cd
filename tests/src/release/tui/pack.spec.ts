import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { GoalList } from '@aish/contracts/goals';
import { Health } from '@aish/contracts/health';
import { verifies } from '../../requirements.js';
import { plan, plans } from '../../support/plan.js';
import { scriptedStack } from '../../support/scripted-stack.js';
import { ROOT } from '../../support/service.process.js';
import { Terminal } from '../../support/terminal.js';

const run = promisify(execFile);

describe('the package of npm pack', () => {
  let folder: string;
  /** Packed from a copy: packing changes package.json for a while, which others read. */
  let copy: string;
  let terminal: Terminal | null = null;
  const running = scriptedStack(plans({ easy: plan('CMD: echo hi', 'GOAL: complete\nsaid hi') }));

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aish-pack-'));
    copy = await mkdtemp(join(ROOT, 'clients', '.pack-'));
    const source = join(ROOT, 'clients/cli');
    const isMade = (path: string): boolean => ['node_modules', 'dist', 'bundle'].includes(basename(path));
    await cp(source, copy, { recursive: true, filter: (path) => !isMade(path) });
    await run('npm', ['pack', '--pack-destination', folder], { cwd: copy, timeout: 60_000 });
    const [tarball = ''] = await readdir(folder);
    const install = ['install', '--global', '--offline', '--no-audit', '--no-fund', join(folder, tarball)];
    await writeFile(join(folder, 'token'), 'aish_nobody', { mode: 0o600 });
    await run('npm', ['--prefix', folder, ...install], { cwd: folder, timeout: 60_000 });
  }, 180_000);

  afterEach(async () => {
    await terminal?.close();
    terminal = null;
  });

  afterAll(async () => {
    await rm(copy, { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
  });

  const aish = async (...args: readonly string[]): Promise<string> => {
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
    const options = { cwd: folder, env, timeout: 60_000 };
    return (await run(join(folder, 'bin/aish'), [...args], options)).stdout;
  };

  it(
    verifies('tui.pack', 'depends on nothing, and has all of aish in it'),
    async () => {
      const modules = join(folder, 'lib/node_modules');
      expect([await readdir(modules), await readdir(join(modules, '@aish'))]).toEqual([['@aish'], ['cli']]);
      expect((await readdir(join(modules, '@aish/cli'))).toSorted()).toEqual([
        'LICENSE',
        'README.md',
        'bundle',
        'package.json',
      ]);
      expect(await aish('--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
      expect(await aish('safety', 'check', '--offline', 'ls -la')).toBe('safe\n');
      // What is loaded on demand is there, too.
      await aish('kb', 'init', '--repo', join(folder, 'kb'));
      await aish('kb', 'add', 'The NAS', '-s', 'a box', '--repo', join(folder, 'kb'));
      expect(await aish('kb', 'graph', '--svg', '--repo', join(folder, 'kb'))).toContain('<svg');
      const token = `ghp_${'wWPw5k4aXcaT4fNP0Ucn'.repeat(2).slice(0, 36)}`;
      const refused = aish('kb', 'add', 'The key', '-s', token, '--repo', join(folder, 'kb'));
      await expect(refused).rejects.toThrow('secret-found');
    },
    120_000,
  );

  it(verifies('tui.pack', 'loads little code before its first screen'), async () => {
    const bundle = await readFile(join(folder, 'lib/node_modules/@aish/cli/bundle/aish.mjs'), 'latin1');
    const code = bundle.indexOf('\n//program ');
    expect(code).toBeGreaterThan(0);
    // Twice what it is. One import of a schema brings half a megabyte along.
    expect(code).toBeLessThan(40_000);
  });

  it(
    verifies('tui.pack', 'keeps its code in memory with one byte a character, and no rules that it does not ask'),
    async () => {
      const bundle = await readFile(join(folder, 'lib/node_modules/@aish/cli/bundle/aish.mjs'), 'latin1');
      const parts = Array.from(bundle.matchAll(/^\/\/(\w+) (.+)$/gm), ([, name, packed]) => ({
        name,
        source: gunzipSync(Buffer.from(String(packed), 'base64')).toString(),
      }));
      expect(parts.map(({ name }) => name)).toEqual(['program', 'graphviz', 'acp', 'safety', 'secrets']);
      expect(parts.filter(({ source }) => Buffer.byteLength(source) !== source.length)).toEqual([]);
      expect(parts[0]?.source.length).toBeLessThan(1_900_000);
    },
  );

  it(
    verifies('tui.pack', 'talks to an aish elsewhere, which is of the same version'),
    async () => {
      const { client, dir } = running.stack;
      const server = ['--url', client.url, '--token-file', join(dir, 'token')];
      const health = await client.json(Health, 'GET', '/v1/health');
      expect(await aish('--version')).toBe(`${health.version}\n`);
      await aish(...server, 'norris', 'easy', '--watch');
      expect(await aish(...server, 'goals')).toMatch(/^ *1 +.*done.*easy/m);
      expect(GoalList.parse(JSON.parse(await aish(...server, 'goals', '--json'))).items).toHaveLength(1);
    },
    120_000,
  );

  it(
    verifies('tui.pack', 'keys that are typed before all of it is loaded are not lost'),
    async () => {
      const env = { AISH_URL: 'http://127.0.0.1:9', AISH_TOKEN_FILE: join(folder, 'token') };
      terminal = await Terminal.open(join(folder, 'bin/aish'), { env });
      await terminal.type('typed at once');
      await terminal.shows('offline, retrying');
      expect(await terminal.screen()).toContain(']> typed at once');
      await terminal.press('C-c');
      await terminal.press('C-q');
      await terminal.shows('ended with 0');
    },
    120_000,
  );
});
