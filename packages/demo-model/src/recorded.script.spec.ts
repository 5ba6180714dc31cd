import { describe, expect, it } from '@jest/globals';
import { recordedScript } from './recorded.script.js';

const script = recordedScript([
  { goal: 'Look at http://{address}:80/ on {address}.\n', said: ['CMD: curl {address}', 'GOAL: complete'] },
  { goal: 'Tidy up', said: ['CMD: ls'] },
]);
const say = (...contents: readonly string[]) =>
  script(
    contents.map((content, n) => ({ role: n % 2 === 0 ? 'user' : 'assistant', content })),
    0,
  );

describe('a recorded model', () => {
  it('a recorded model repeats the recorded answers, with the address in the current goal', () => {
    const goal = '[user] Look at http://10.0.0.7:80/ on 10.0.0.7.';
    expect(say(goal)).toEqual({ text: 'CMD: curl 10.0.0.7' });
    expect(say(goal, 'CMD: curl 10.0.0.7', 'exit code 0')).toEqual({ text: 'GOAL: complete' });
    expect(say('Tidy up')).toEqual({ text: 'CMD: ls' });
  });

  it('a recorded model is blocked if there is no recording for the goal', () => {
    expect(say('Tidy up', 'CMD: ls', 'exit code 0')).toEqual({ text: 'GOAL: blocked nothing more was recorded' });
    expect(say('Look at http://10.0.0.7:80/ on 10.0.0.8.')).toMatchObject({
      text: expect.stringContaining('GOAL: blocked'),
    });
  });
});
