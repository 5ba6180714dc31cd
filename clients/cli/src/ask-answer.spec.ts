import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { needRequest, readNeed } from '@aish/contracts/needs';
import { decisionOf } from '@aish/client/testing/fixtures';
import { askAnswer } from './ask-answer.js';
import { askYes } from './ask-yes.js';
import type { Io } from '@aish/client/io';

const need = readNeed('host nas: the backups are there');
const asked = decisionOf(1, {
  kind: 'need',
  actionId: null,
  classification: null,
  action: 'host nas: the backups are there',
  request: need === null ? {} : needRequest(need, 'goal'),
});

/** A person at a terminal, or a pipe, and what they read. */
function person({ isTTY = false } = {}) {
  const stdin: PassThrough & { isTTY?: true; setRawMode?: () => never } = new PassThrough();
  if (isTTY) Object.assign(stdin, { isTTY: true, setRawMode: () => stdin });
  const stderr = new PassThrough();
  let read = '';
  stderr.on('data', (chunk: Buffer) => (read += chunk.toString()));
  const io: Io = { stdin, stdout: stderr, stderr, config: {}, signal: new AbortController().signal };
  return { io, stdin, read: () => read };
}
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('the question how a model is answered that needs something', () => {
  it('says of any other answer that it is none, and asks again', async () => {
    const { io, stdin, read } = person();
    const answer = askAnswer(asked, io);
    for (const line of ['yes', '', 'r']) stdin.write(`${line}\n`);
    expect(await answer).toEqual({ verdict: 'skip' });
    for (const said of ['“yes” is no answer', 'Enter alone is no answer']) expect(read()).toContain(said);
  });

  it('says that an empty line is no answer to a question of the model', async () => {
    const { io, stdin, read } = person();
    const question = decisionOf(2, { kind: 'question', actionId: null, classification: null, action: 'Which disk?' });
    const answer = askAnswer(question, io);
    for (const line of ['', 'sda']) stdin.write(`${line}\n`);
    expect(await answer).toEqual({ verdict: 'proceed', answer: { answer: 'sda' } });
    expect(read()).toContain('an empty line is no answer');
  });

  it('takes an abort at the second a, and any other answer takes the first one back', async () => {
    const { io, stdin, read } = person();
    const answer = askAnswer(asked, io);
    for (const line of ['a', 'no', 'a', 'a']) stdin.write(`${line}\n`);
    expect(await answer).toEqual({ verdict: 'abort' });
    expect(read().match(/a again aborts/g)?.length).toBe(2);
  });

  it('takes nothing that was typed ahead at a terminal', async () => {
    const { io, stdin, read } = person({ isTTY: true });
    const answer = askAnswer(asked, io);
    stdin.write('r');
    await pause(600);
    stdin.write('\r');
    await pause(600);
    expect(read()).toContain('“r” came too soon to be an answer: give it again');
    stdin.write('r\r');
    expect(await answer).toEqual({ verdict: 'skip' });
  });
});

describe('a question for yes or no', () => {
  it.each([
    ['y\n', true],
    ['Yes\n', true],
    ['n\n', false],
    ['no\n', false],
    ['\n', false],
    ['', false],
    ['yes please\ny\n', true],
  ])('%j is %s', async (typed, is) => {
    const { io, stdin, read } = person();
    const answer = askYes(io, 'Really?');
    stdin.end(typed);
    expect(await answer).toBe(is);
    expect(read().includes('“yes please” is no answer')).toBe(typed.startsWith('yes please'));
  });
});
