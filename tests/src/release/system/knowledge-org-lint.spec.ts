import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FATAL_FIXTURES, GOOD_NODE, generatedNode } from '@aish/knowledge/testing';
import { verifies } from '../../requirements.js';
import { ROOT } from '../../support/service.process.js';

const run = promisify(execFile);
const GENERATED = 1_000;
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'aish-org-lint-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function put(folder: string, files: Readonly<Record<string, string>>): string[] {
  return Object.entries(files).flatMap(([path, text]) => {
    const file = join(dir, folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return path.endsWith('.org') ? [file] : [];
  });
}

/** Returns Emacs's findings, one per line. */
async function orgLint(files: readonly string[]): Promise<string[]> {
  const args = ['--batch', '-Q', '-l', join(ROOT, 'tests/fixtures/org-lint.el'), ...files];
  const { stdout } = await run('emacs', args, { maxBuffer: 16 * 1_048_576, timeout: 300_000 });
  return stdout.split('\n').filter((line) => line !== '');
}

describe("Emacs's org-lint and the lint of aish", () => {
  it(
    verifies('knowledge.org-lint', 'Emacs agrees with aish about broken nodes, and finds nothing in repaired ones'),
    async () => {
      // Running Emacs once for each fixture would take minutes. The good node is in all of them, so it is written once.
      const good = put('good', { [GOOD_NODE.path]: GOOD_NODE.text });
      const structural = FATAL_FIXTURES.filter(({ seenByEmacs }) => seenByEmacs);
      const broken = structural.map((fixture, n) => [fixture, put(`broken/${n}`, fixture.broken)] as const);
      const warnings = await orgLint([...good, ...broken.flatMap(([, files]) => files)]);
      for (const [{ code, name }, files] of broken) {
        expect({
          code,
          name,
          warnings: warnings.filter((line) => files.some((file) => line.startsWith(`${file}:`))),
        }).toEqual({
          code,
          name,
          warnings: expect.arrayContaining([expect.any(String)]),
        });
      }
      const mended = FATAL_FIXTURES.map((fixture, n) => put(`mended/${n}`, fixture.mended)).flat();
      expect(await orgLint([...good, ...mended])).toEqual([]);
    },
    300_000,
  );

  it(
    verifies('knowledge.org-lint', `Emacs finds no fault in ${GENERATED} nodes that aish wrote`),
    async () => {
      const nodes = Array.from({ length: GENERATED }, (_, n) => generatedNode(n));
      const files = put('generated', Object.fromEntries(nodes.map(({ path, text }) => [path, text])));
      expect(files).toHaveLength(GENERATED);
      expect(await orgLint(files)).toEqual([]);
    },
    300_000,
  );
});
