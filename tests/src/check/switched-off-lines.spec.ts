import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT } from '../support/service.process.js';

const SUITES = join(ROOT, 'tests/src/release/system');
const FILE = String.raw`'((?:packages|services)\/[^']*\/dist\/[^']*\.js)'`;
const LINE = String.raw`'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"`;

/** Returns each compiled file and the line of it that a test replaces to switch a defence off. */
function replacedLines(): readonly (readonly [file: string, line: string])[] {
  return readdirSync(SUITES).flatMap((name) => {
    const found = readFileSync(join(SUITES, name), 'utf8').matchAll(new RegExp(`${FILE},\\s*(?:${LINE})`, 'g'));
    return [...found].map(
      ([, file = '', single, double]) => [file, (single ?? double ?? '').replaceAll(/\\(.)/g, '$1')] as const,
    );
  });
}

function occurrences([file, line]: readonly [string, string]): number {
  const path = join(ROOT, file);
  return existsSync(path) ? readFileSync(path, 'utf8').split(line).length - 1 : 0;
}

describe('the tests that switch a defence off', () => {
  it('each line that they replace occurs exactly once in the compiled code', () => {
    const lines = replacedLines();
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.filter((each) => occurrences(each) !== 1)).toEqual([]);
  });
});
