import { describe, expect, it } from '@jest/globals';
import { REQUIREMENTS, RELEASE_REQUIREMENTS } from '../requirements.js';
import { allSpecs, citations, isSystemSpec, tierOf } from './citations.js';

const specs = allSpecs();
const systemSpecs = specs.filter(isSystemSpec);

describe('requirements', () => {
  it('every requirement is cited by a test', () => {
    const cited = citations();
    expect(Object.keys(REQUIREMENTS).filter((id) => !cited.has(id))).toEqual([]);
  });

  it('npm test proves every requirement that is not listed for npm run test:release', () => {
    const wrong = [...citations()].flatMap(([id, paths]) => {
      const named = new Set<string>(RELEASE_REQUIREMENTS).has(id) ? 'release' : 'test';
      const proved = [...paths].some((path) => tierOf(path) === 'test') ? 'test' : 'release';
      return named === proved ? [] : [`${id}: the list says ${named}, its tests are in ${proved}`];
    });
    expect(wrong).toEqual([]);
  });
});

describe('specs', () => {
  it('every system spec has a tier', () => {
    expect(systemSpecs.length).toBeGreaterThan(70);
    expect(systemSpecs.filter((path) => tierOf(path) === undefined)).toEqual([]);
  });

  it('Jest finds every spec', () => {
    const lost = specs.filter(
      (path) =>
        !/^((packages|services|clients)\/[^/]+|deploy\/launcher|evals|bench|tests)\/src\/.+\.spec\.ts$/.test(path),
    );
    expect(lost).toEqual([]);
  });
});
