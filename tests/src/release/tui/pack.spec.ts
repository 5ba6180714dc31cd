import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
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
  /** The package is made from a copy, because packing changes package.json for a while, and others read that file. */
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
    verifies('tui.pack', 'the npm package has no dependencies, and contains all of aish'),
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
      // Code that is loaded on demand is included, too.
      await aish('kb', 'init', '--repo', join(folder, 'kb'));
      await aish('kb', 'add', 'The NAS', '-s', 'a box', '--repo', join(folder, 'kb'));
      expect(await aish('kb', 'graph', '--svg', '--repo', join(folder, 'kb'))).toContain('<svg');
      const token = `ghp_${'wWPw5k4aXcaT4fNP0Ucn'.repeat(2).slice(0, 36)}`;
      const refused = aish('kb', 'add', 'The key', '-s', token, '--repo', join(folder, 'kb'));
      await expect(refused).rejects.toThrow('secret-found');
    },
    120_000,
  );

  /** Returns a file of the bundle, and all files that are loaded with it. */
  const loadedWith = async (file: string, seen = new Map<string, string>()): Promise<ReadonlyMap<string, string>> => {
    if (seen.has(file)) return seen;
    const source = await readFile(file, 'latin1');
    seen.set(file, source);
    for (const [, path = ''] of source.matchAll(/^(?:import|export) (?:[^"]* from )?"(\.[^"]+)";$/gm))
      await loadedWith(join(file, '..', path), seen);
    return seen;
  };
  const bundled = (...path: readonly string[]) => join(folder, 'lib/node_modules/@aish/cli/bundle', ...path);
  const sizeOf = (files: ReadonlyMap<string, string>): number =>
    [...files.values()].reduce((size, source) => size + source.length, 0);

  it(verifies('tui.pack', 'the terminal UI loads little code before its first screen'), async () => {
    const files = await loadedWith(bundled('aish.mjs'));
    expect(files.size).toBeGreaterThan(1);
    // The limit is twice the present size. One import of a schema would add half a megabyte.
    expect(sizeOf(files)).toBeLessThan(100_000);
  });

  it(
    verifies('tui.pack', 'the code uses one byte per character in memory, and excludes rules that it does not need'),
    async () => {
      const names = await readdir(bundled('lib'));
      for (const name of names)
        expect([name, /[^\0-\x7f]/.test(await readFile(bundled('lib', name), 'utf8'))]).toEqual([name, false]);
      const [run = '', tui = ''] = ['run-', 'open-tui-'].map((start) => names.find((name) => name.startsWith(start)));
      for (const start of [run, tui]) {
        const files = await loadedWith(bundled('lib', start));
        expect([...files.values()].filter((source) => source.includes('packages/safety/src/rules/'))).toEqual([]);
        expect(sizeOf(files)).toBeLessThan(4_000_000);
      }
      expect(names.some((name) => name.startsWith('viz-'))).toBe(true);
    },
  );

  it(
    verifies('tui.pack', 'the npm package works with an aish of the same version elsewhere'),
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
    verifies('tui.pack', 'keys typed before the terminal UI is loaded are not lost'),
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
