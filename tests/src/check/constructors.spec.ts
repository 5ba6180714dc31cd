import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { ROOT } from '../support/service.process.js';

/** What a class is made of. More says that it does two things: split it, or have what it makes by itself handed in. */
const MOST = 6;
const MOST_OF_95_PERCENT = 4;

const SOURCE = /^[^/]+\/src\/(?!.*\.spec\.tsx?$).*\.tsx?$/;
const CLASSES = ['services', 'packages', 'clients'].flatMap((folder) =>
  readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((path) => SOURCE.test(path))
    .flatMap((path) => constructors(`${folder}/${path}`)),
);

describe('the parameters of constructors', () => {
  it(`are ${MOST} at most`, () => {
    expect(CLASSES.length).toBeGreaterThan(200);
    expect(CLASSES.filter(({ parameters }) => parameters > MOST)).toEqual([]);
  });

  it(`are ${MOST_OF_95_PERCENT} at most of 95 in 100`, () => {
    const larger = CLASSES.filter(({ parameters }) => parameters > MOST_OF_95_PERCENT);
    expect(larger.length > CLASSES.length / 20 ? larger : []).toEqual([]);
  });
});

function constructors(path: string): { readonly name: string; readonly parameters: number }[] {
  const found: { name: string; parameters: number }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isConstructorDeclaration(node) && node.body !== undefined) {
      found.push({ name: `${path}: ${node.parent.name?.text ?? 'a class'}`, parameters: node.parameters.length });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, readFileSync(`${ROOT}${path}`, 'utf8'), ts.ScriptTarget.Latest, true));
  return found;
}
