import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { TIERS } from '../requirements.js';
import { ROOT } from '../support/service.process.js';

const FOLDER = 'tests/src/';

/** Returns all specs of the repository, including those that are not committed yet. */
export function allSpecs(): readonly string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '*.spec.ts', '*.spec.tsx'];
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);
}

export function isSystemSpec(path: string): boolean {
  return path.startsWith(FOLDER);
}

/** Returns the tier of a spec below `tests/src`, or undefined if its folder has none. */
export function tierOf(path: string): string | undefined {
  return new Map(Object.entries(TIERS)).get(path.slice(FOLDER.length).split('/')[0] ?? '');
}

/** Returns the paths of the system specs that cite each requirement. */
export function citations(): ReadonlyMap<string, ReadonlySet<string>> {
  const cited = new Map<string, Set<string>>();
  for (const path of allSpecs().filter(isSystemSpec)) {
    for (const [, id = ''] of readFileSync(`${ROOT}${path}`, 'utf8').matchAll(/verifies\(\s*'([^']+)'/g))
      cited.set(id, (cited.get(id) ?? new Set()).add(path));
  }
  return cited;
}
