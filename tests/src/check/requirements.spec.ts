import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { REQUIREMENTS, RELEASE_REQUIREMENTS, TIERS } from '../requirements.js';
import { ROOT } from '../support/service.process.js';

const FOLDER = 'tests/src/';
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);
/** All specs of the repository, those that are not committed yet as well. */
const specs = git('ls-files', '--cached', '--others', '--exclude-standard', '*.spec.ts', '*.spec.tsx');
const systemSpecs = specs.filter((path) => path.startsWith(FOLDER));
const folderOf = (path: string): string => path.slice(FOLDER.length).split('/')[0] ?? '';
const tierOf = (path: string): string | undefined => new Map(Object.entries(TIERS)).get(folderOf(path));

/** The tiers of the specs that cite each requirement. */
function citations(): ReadonlyMap<string, ReadonlySet<string | undefined>> {
  const cited = new Map<string, Set<string | undefined>>();
  for (const path of systemSpecs) {
    for (const [, id = ''] of readFileSync(`${ROOT}${path}`, 'utf8').matchAll(/verifies\(\s*'([^']+)'/g))
      cited.set(id, (cited.get(id) ?? new Set()).add(tierOf(path)));
  }
  return cited;
}

describe('requirements', () => {
  it('are each cited by a test', () => {
    const cited = citations();
    expect(Object.keys(REQUIREMENTS).filter((id) => !cited.has(id))).toEqual([]);
  });

  it('are proved by npm test, unless the list names them for npm run test:release', () => {
    const wrong = [...citations()].flatMap(([id, tiers]) => {
      const named = new Set<string>(RELEASE_REQUIREMENTS).has(id) ? 'release' : 'test';
      const proved = tiers.has('test') ? 'test' : 'release';
      return named === proved ? [] : [`${id}: the list says ${named}, its tests are in ${proved}`];
    });
    expect(wrong).toEqual([]);
  });
});

describe('specs', () => {
  it('of the system each belong to a tier', () => {
    expect(systemSpecs.length).toBeGreaterThan(70);
    expect(systemSpecs.filter((path) => tierOf(path) === undefined)).toEqual([]);
  });

  it('are all where Jest finds them', () => {
    const lost = specs.filter(
      (path) =>
        !/^((packages|services|clients)\/[^/]+|deploy\/launcher|evals|bench|tests)\/src\/.+\.spec\.ts$/.test(path),
    );
    expect(lost).toEqual([]);
  });
});
