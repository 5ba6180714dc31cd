import { describe, expect, it } from '@jest/globals';
import { placesLifted, refusedElsewhere } from './refused-places.js';

const refusal = {
  step: 3,
  action: 'curl -X DELETE http://server:81/logs/a',
  words: 'do not delete anything on that server',
  paths: [],
  lifted: [] as string[],
};
const QUOTE = 'You refused this at step 3: "do not delete anything on that server".';

describe('a refusal of something on a server', () => {
  it.each(['python3 tidy.py', 'bash tidy.sh', 'curl -K file', 'make', 'echo url | xargs curl -X DELETE'])(
    'covers %s, whose words do not show where it reaches',
    (command) => {
      expect(refusedElsewhere(command, [], [refusal])).toBe(`${QUOTE} Its words do not show where it reaches`);
    },
  );

  it('covers what names the server', () => {
    expect(refusedElsewhere('curl -d x http://SERVER/other', [], [refusal])).toBe(QUOTE);
    expect(refusedElsewhere('curl http://server/other', [], [refusal])).toBe(QUOTE);
  });

  it.each(['ls', 'mkdir -p a && cp b a/', 'curl -d x http://other/in', "ssh nas 'df -h'"])(
    'does not cover %s',
    (command) => {
      expect(refusedElsewhere(command, [], [refusal])).toBeNull();
    },
  );

  it('ends when a person lets something run there, and not by a script', () => {
    expect(placesLifted('python3 tidy.py')).toEqual([]);
    const lifted = [...placesLifted('curl -X DELETE http://server:81/logs/b')];
    expect(refusedElsewhere('python3 tidy.py', [], [{ ...refusal, lifted }])).toBeNull();
  });
});

it('a refused script covers every other one', () => {
  expect(
    refusedElsewhere('bash other.sh', [], [{ ...refusal, action: 'python3 tidy.py', words: null }]),
  ).not.toBeNull();
});

it('a refusal of changes that a script made covers those, and no other script', () => {
  const listed = { ...refusal, action: 'python3 tidy.py', words: null, paths: ['/workspace/logs/a.log'] };
  expect(refusedElsewhere('bash other.sh', [], [listed])).toBeNull();
});

it('a refusal in a folder of the host covers what names it, and every script, while commands have such a folder', () => {
  const inFolder = { ...refusal, action: 'rm -rf /mnt/media/logs', words: null, paths: ['/mnt/media/logs'] };
  expect(refusedElsewhere('cp a /mnt/media/logs/b', ['media'], [inFolder])).not.toBeNull();
  expect(refusedElsewhere('sh tidy.sh', ['media'], [inFolder])).not.toBeNull();
  expect(refusedElsewhere('sh tidy.sh', [], [inFolder])).toBeNull();
  expect(refusedElsewhere('cp a /mnt/media/other', ['media'], [inFolder])).toBeNull();
});
