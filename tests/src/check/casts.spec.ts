import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT } from '../support/service.process.js';

describe('npm run check', () => {
  it('the lint refuses a partial fake that is cast to a whole type', () => {
    const dir = mkdtempSync(join(tmpdir(), 'aish-casts-'));
    try {
      writeFileSync(
        join(dir, 'fake.ts'),
        `interface Port {
  readonly run: () => void;
  readonly stop: () => void;
}
const run = (): void => {};
const through = { run };
export const fakes: Port[] = [{ run } as Port, through as unknown as Port, run as never];
`,
      );
      const args = ['-c', join(ROOT, '.oxlintrc.json'), '-f', 'unix', dir];
      const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/oxlint'), args, { encoding: 'utf8', timeout: 60_000 });
      const refused = stdout.split('\n').flatMap((line) => /\[Error\/(.*)\]/.exec(line)?.[1] ?? []);
      expect(refused.toSorted()).toEqual([
        'aish(no-blind-cast)',
        'aish(no-blind-cast)',
        'typescript(consistent-type-assertions)',
      ]);
    } finally {
      rmSync(dir, { recursive: true });
    }
  }, 90_000);
});
