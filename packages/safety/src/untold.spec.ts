import { describe, expect, it } from '@jest/globals';
import { untoldParts } from './untold.js';

describe('untoldParts', () => {
  it.each<[string, readonly string[]]>([
    ['rm -rf build && ./fmt.sh', ['./fmt.sh']],
    ['make clean', ['make clean']],
    ['sh fmt.sh', ['sh fmt.sh']],
    ['python3 tidy.py', ['python3 tidy.py']],
    ['rm -f x; npm run build', ['npm']],
    ['git commit -m x', ['git commit']],
    ['cat x | sh', ['sh']],
    ['find . -exec ./x.sh {} \\;', ['./x.sh']],
    ['rm -rf build', []],
    ['/usr/bin/rm -rf build', []],
    ['bash -c "rm -rf x"', []],
    ['python3 -c "print(1)"', []],
    ['git push --force', []],
  ])('these parts of `%s` do not show their changes: %j', (command, parts) => {
    expect(untoldParts(command)).toEqual(parts);
  });
});
