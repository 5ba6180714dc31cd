import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { REQUIREMENTS } from '../requirements.js';
import { ROOT } from '../support/service.process.js';

describe('requirements', () => {
  it('are each cited by a test', () => {
    const folder = `${ROOT}tests/src`;
    const cited = new Set<string>();
    for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!path.endsWith('.spec.ts')) continue;
      for (const [, id] of readFileSync(`${folder}/${path}`, 'utf8').matchAll(/verifies\(\s*'([^']+)'/g))
        cited.add(String(id));
    }
    expect(Object.keys(REQUIREMENTS).filter((id) => !cited.has(id))).toEqual([]);
  });
});
