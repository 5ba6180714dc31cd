import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
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
  const source = readFileSync(`${ROOT}${path}`, 'utf8');
  const code = source.replaceAll(/\/\*[^]*?\*\/|\/\/.*|=>/g, '');
  return [...code.matchAll(/\bclass (\w+)|^ +(?:private |protected )?constructor\(/gm)].flatMap(
    ({ 1: name, 0: text, index }, at, all) =>
      name === undefined
        ? [{ name: `${path}: ${all[at - 1]?.[1] ?? 'a class'}`, parameters: parametersAt(code, index + text.length) }]
        : [],
  );
}

/** How many there are from behind the bracket that opens them. */
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
