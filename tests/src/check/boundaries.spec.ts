import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { VERSION } from '@aish/contracts/health';
import { verifies } from '../requirements.js';
import { ROOT } from '../support/service.process.js';
import { BEGIN, END, arrowsOf, importsList, unused, withImportsList, type Cruised } from './who-imports-whom.js';

describe('npm run check', () => {
  it(
    verifies('check.bites'),
    () => {
      const { stdout } = spawnSync(
        process.execPath,
        [
          `${ROOT}node_modules/.bin/depcruise`,
          '--config',
          `${ROOT}.dependency-cruiser.mjs`,
          '--output-type',
          'json',
          'clients',
          'evals',
          'packages',
          'services',
        ],
        { cwd: `${ROOT}tests/fixtures/boundaries`, encoding: 'utf8', env: { PATH: process.env['PATH'] ?? '' } },
      );
      const { summary } = JSON.parse(stdout);
      const violations: { from: string; rule: { name: string } }[] = summary.violations;
      const found = violations.map(({ from, rule }) => `${rule.name}: ${from}`).toSorted();
      expect(found).toEqual([
        'clients-apart: clients/acp/src/wrong-cli.ts',
        'clients-apart: clients/acp/src/wrong-tui.ts',
        'clients-apart: clients/cli/src/wrong.ts',
        'clients-apart: clients/tui/src/wrong-cli.ts',
        'clients-know-contracts-only: clients/tui/src/wrong.ts',
        'evals-not-shipped: packages/safety/src/wrong-evals.ts',
        'pure-stays-pure: packages/safety/src/wrong.ts',
        'sandbox-warm-below: services/sandbox/src/warm/wrong.ts',
        'services-apart: services/api/src/wrong.ts',
        'tui-layer-2: clients/tui/src/views/wrong.view.ts',
      ]);
      expect(summary.error).toBe(10);
    },
    60_000,
  );
});

describe('the version', () => {
  it(verifies('version.one'), () => {
    const manifests = execFileSync('git', ['ls-files', '--cached', '--', 'package.json', '**/package.json'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    const versions = manifests
      .trim()
      .split('\n')
      .filter((file) => !file.includes('/fixtures/'))
      .map((file): unknown => [file, JSON.parse(readFileSync(`${ROOT}${file}`, 'utf8')).version]);
    expect(versions).toEqual(versions.map((each) => [(each as unknown[])[0], VERSION]));
    const label = /^LABEL .*org\.opencontainers\.image\.version=(\S+)/m;
    expect(label.exec(readFileSync(`${ROOT}deploy/Dockerfile`, 'utf8'))?.[1]).toBe(VERSION);
    expect(readFileSync(`${ROOT}README.md`, 'utf8')).toContain(`./aish-cli-${VERSION}.tgz`);
  });
});

describe('the list of imports between packages', () => {
  const file = (source: string, ...resolved: string[]) => ({
    source,
    dependencies: resolved.map((each) => ({ resolved: each })),
  });
  const cruised: Cruised = {
    modules: [
      file(
        'services/api/src/main.ts',
        'services/api/src/app.ts',
        'packages/http/src/index.ts',
        'node_modules/zod/x.js',
      ),
      file('packages/http/src/index.ts', 'packages/contracts/src/index.ts'),
      file('packages/http/src/index.spec.ts', 'packages/queue/src/index.ts'),
      file('packages/http/src/testing/fake.ts', 'packages/queue/src/index.ts'),
      file('packages/contracts/src/index.ts'),
      file('clients/cli/src/kb.ts', 'packages/knowledge/src/offline.ts', 'clients/tui/src/open-tui.ts'),
      file('tests/src/x.ts', 'packages/queue/src/index.ts'),
    ],
    summary: { violations: [] },
  };

  it('the list of imports contains those of shipped files, without tests and their helpers', () => {
    expect(importsList(arrowsOf(cruised)).split('\n')).toEqual([
      BEGIN,
      '- `clients/cli` → clients/tui, knowledge/offline',
      '- `services/api` → http',
      '- `contracts` alone: `packages/http`',
      '- nothing of ours: `packages/contracts`',
      END,
    ]);
  });

  it('writing the list of imports between its marks a second time changes nothing', () => {
    const page = `a\n${BEGIN}\nold\n${END}\nb`;
    const once = withImportsList(page, arrowsOf(cruised));
    expect(once).toMatch(/^a\n<!-- imports[^]*→ http\n[^]*-->\nb$/);
    expect(withImportsList(once, arrowsOf(cruised))).toBe(once);
    expect(() => withImportsList('no marks', arrowsOf(cruised))).toThrow(/no lines/);
  });

  it('the boundary check reports an import that is allowed but unused', () => {
    expect(unused({ http: ['queue'], contracts: [] }, arrowsOf(cruised))).toEqual(['http → queue']);
  });
});
