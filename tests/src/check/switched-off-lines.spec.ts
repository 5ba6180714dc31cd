import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { ROOT } from '../support/service.process.js';

/** Returns the compiled files and the lines of them that tests replace to switch a defence off. */
function replacedLines(): readonly (readonly [file: string, line: string])[] {
  const folder = join(ROOT, 'tests/src/release/system');
  return readdirSync(folder).flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    if (!text.includes('/dist/')) return [];
    const found: (readonly [string, string])[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isArrayLiteralExpression(node)) {
        const [, file, line] = node.elements;
        if (file && line && ts.isStringLiteralLike(file) && ts.isStringLiteralLike(line) && isCompiled(file.text)) {
          found.push([file.text, line.text]);
        }
      }
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(name, text, ts.ScriptTarget.Latest));
    return found;
  });
}

const isCompiled = (path: string): boolean => /^(?:packages|services)\/.*\/dist\/.*\.js$/.test(path);

function occurrences([file, line]: readonly [string, string]): number {
  const path = join(ROOT, file);
  return existsSync(path) ? readFileSync(path, 'utf8').split(line).length - 1 : 0;
}

describe('the tests that switch a defence off', () => {
  it('each line that they replace occurs exactly once in the compiled code', () => {
    const lines = replacedLines();
    expect(lines).not.toEqual([]);
    expect(lines.filter((each) => occurrences(each) !== 1)).toEqual([]);
  });
});
