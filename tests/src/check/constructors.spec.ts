import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ROOT } from '../support/service.process.js';

/**
 * The maximum number of dependencies of a class. A class that needs more should be split, or its caller should pass in
 * what it now creates itself.
 */
const MOST = 6;
const MOST_OF_95_PERCENT = 4;

const SOURCE = /^[^/]+\/src\/(?!.*\.spec\.tsx?$).*\.tsx?$/;
const CLASSES = ['services', 'packages', 'clients'].flatMap((folder) =>
  readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((path) => SOURCE.test(path))
    .flatMap((path) => constructors(`${folder}/${path}`)),
);

describe('the parameters of constructors', () => {
  it(`constructors have at most ${MOST} parameters`, () => {
    expect(CLASSES.length).toBeGreaterThan(200);
    expect(CLASSES.filter(({ parameters }) => parameters > MOST)).toEqual([]);
  });

  it(`95 % of all constructors have at most ${MOST_OF_95_PERCENT} parameters`, () => {
    const larger = CLASSES.filter(({ parameters }) => parameters > MOST_OF_95_PERCENT);
    expect(larger.length > CLASSES.length / 20 ? larger : []).toEqual([]);
  });
});

function constructors(path: string): { readonly name: string; readonly parameters: number }[] {
  const source = readFileSync(`${ROOT}${path}`, 'utf8');
  const code = source.replaceAll(/\/\*[^]*?\*\/|\/\/.*|=>/g, '');
  return [...code.matchAll(/\bclass (\w+)|^ +(?:private |protected )?constructor\(/gm)].flatMap(
    ({ 1: name, 0: text, index }, at, all) =>
      name === undefined
        ? [{ name: `${path}: ${all[at - 1]?.[1] ?? 'a class'}`, parameters: parametersAt(code, index + text.length) }]
        : [],
  );
}

/** Counts the parameters from the opening bracket. */
function parametersAt(code: string, start: number): number {
  const parameters = [''];
  for (let at = start, depth = 0; depth >= 0 && at < code.length; at += 1) {
    const letter = code.charAt(at);
    if ('([{<'.includes(letter)) depth += 1;
    if (')]}>'.includes(letter)) depth -= 1;
    if (letter === ',' && depth === 0) parameters.push('');
    else parameters[parameters.length - 1] += letter;
  }
  return parameters.filter((text) => /\w/.test(text)).length;
}
