#!/usr/bin/env node
// npm run check checks types, lint, formatting, Python, boundaries, words, row types, unused code, the lock file and
// licences. It reports every failure, not only the first.
import { spawnSync } from 'node:child_process';

const SOURCES = ['packages', 'services', 'clients', 'deploy', 'evals', 'bench', 'tests'];
/** Each version has a separate folder, which pip fills if it is missing. */
const PYTHON_TOOLS = ['ruff==0.17.6', 'mypy==2.4.1'];
const PYTHON_FOLDER = `${process.cwd()}/node_modules/.cache/python-${PYTHON_TOOLS.join('-').replaceAll('==', '-')}`;
const PYTHON = `
  [ -e '${PYTHON_FOLDER}' ] || {
    rm -rf '${PYTHON_FOLDER}.new' &&
      python3 -m pip install --quiet --disable-pip-version-check --target '${PYTHON_FOLDER}.new' ${PYTHON_TOOLS.join(' ')} &&
      mv '${PYTHON_FOLDER}.new' '${PYTHON_FOLDER}'
  } || exit 1
  cd services/sandbox && export PYTHONPATH='${PYTHON_FOLDER}' && python3 -m ruff check scripts testing && python3 -m mypy scripts`;
const CHECKS = [
  ['types', 'tsc', ['-b']],
  ['lint', 'oxlint', ['--type-aware', '--deny-warnings', ...SOURCES]],
  ['formatting', 'oxfmt', ['--check', '.']],
  ['Python', 'sh', ['-c', PYTHON]],
  ['boundaries', process.execPath, ['tests/dist/check/boundaries.main.js']],
  ['words', process.execPath, ['tests/dist/check/words.main.js']],
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
