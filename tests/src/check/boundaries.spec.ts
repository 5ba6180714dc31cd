import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { VERSION } from '@aish/contracts';
import { verifies } from '../requirements.js';
import { ROOT } from '../support/service.process.js';

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
          'packages',
          'services',
        ],
        { cwd: `${ROOT}tests/fixtures/boundaries`, encoding: 'utf8', env: { PATH: process.env['PATH'] ?? '' } },
      );
      const { summary } = JSON.parse(stdout);
      const violations: { from: string; rule: { name: string } }[] = summary.violations;
      const found = violations.map(({ from, rule }) => `${rule.name}: ${from}`).toSorted();
      expect(found).toEqual([
        'clients-know-contracts-only: clients/tui/src/wrong.ts',
        'pure-stays-pure: packages/safety/src/wrong.ts',
        'services-apart: services/api/src/wrong.ts',
      ]);
      expect(summary.error).toBe(3);
    },
    60_000,
  );
});

describe('the version', () => {
  it('is the same in the code and in package.json', () => {
    expect(JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')).version).toBe(VERSION);
  });
});
