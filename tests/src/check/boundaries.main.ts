import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { ROOT } from '../support/service.process.js';
import { arrowsOf, unused, withImportsList, type Cruised } from './who-imports-whom.js';

/**
 * Part of `npm run check`: no package imports what .dependency-cruiser.mjs forbids, every allowed import is used, and
 * docs/architecture.md has the current list. --write writes the list.
 */
const PAGE = `${ROOT}docs/architecture.md`;
const CONFIG = `${ROOT}.dependency-cruiser.mjs`;
const FOLDERS = ['packages', 'services', 'clients', 'deploy', 'evals', 'bench', 'tests'];

function cruise(): Cruised {
  const args = [`${ROOT}node_modules/.bin/depcruise`, '--config', CONFIG, '--output-type', 'json', ...FOLDERS];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (stdout === '') throw new Error(`dependency-cruiser said nothing: ${stderr}`);
  return JSON.parse(stdout) as Cruised;
}

const cruised = cruise();
const arrows = arrowsOf(cruised);
const { ARROWS } = z
  .object({ ARROWS: z.record(z.string(), z.array(z.string())) })
  .parse(await import(new URL(`file://${CONFIG}`).href));
const page = readFileSync(PAGE, 'utf8');
const meant = withImportsList(page, arrows);
if (process.argv.includes('--write')) writeFileSync(PAGE, meant);

const wrong = [
  ...cruised.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`),
  ...unused(ARROWS, arrows).map((arrow) => `.dependency-cruiser.mjs allows ${arrow}, which nobody uses: take it out`),
  ...(page === meant || process.argv.includes('--write')
    ? []
    : ['docs/architecture.md does not say who imports whom as it is: npm run boundaries']),
];
for (const line of wrong) console.log(line);
process.exitCode = wrong.length === 0 ? 0 : 1;
