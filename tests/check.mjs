#!/usr/bin/env node
// npm run check: types, lint, formatting, boundaries, row types, unused code, lock file, licences. Reports every failure, not only the first.
import { spawnSync } from 'node:child_process';

const SOURCES = ['packages', 'services', 'clients', 'deploy', 'evals', 'bench', 'tests'];
const CHECKS = [
  ['types', 'tsc', ['-b']],
  ['lint', 'oxlint', ['--type-aware', '--deny-warnings', ...SOURCES]],
  ['formatting', 'oxfmt', ['--check', '.']],
  ['boundaries', process.execPath, ['tests/dist/check/boundaries.main.js']],
  ['row types', process.execPath, ['prisma/row-types.mjs', '--check']],
  ['unused code', 'knip', []],
  ['lock file', process.execPath, ['deploy/lockfile/complete.mjs', '--check']],
  ['licences', process.execPath, ['deploy/lockfile/licences.mjs']],
];

const failed = [];
for (const [name, command, args] of CHECKS) {
  const started = Date.now();
  const path = `${process.cwd()}/node_modules/.bin:${process.env.PATH}`;
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    env: { ...process.env, PATH: path },
  });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  if (status === 0) {
    console.log(`ok      ${name} (${seconds} s)`);
    continue;
  }
  failed.push(name);
  console.log(`FAILED  ${name} (${seconds} s)\n${stdout ?? ''}${stderr ?? ''}${error ?? ''}`);
}
console.log(failed.length === 0 ? 'check: all good' : `check: failed: ${failed.join(', ')}`);
process.exit(failed.length === 0 ? 0 : 1);
