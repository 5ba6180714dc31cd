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

/** Simulates a person at a terminal or a pipe, and records the output that they see. */
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

describe("the prompt that asks how to answer a model's question", () => {
  it("the prompt for a model's question rejects an unknown answer and appears again", async () => {
    const { io, stdin, read } = person();
    const answer = askAnswer(asked, io);
    for (const line of ['yes', '', 'r']) stdin.write(`${line}\n`);
    expect(await answer).toEqual({ verdict: 'skip' });
    for (const message of ['“yes” is not an answer', 'Enter alone is not an answer']) expect(read()).toContain(message);
  });

  it("an empty line is rejected as an answer to a model's question", async () => {
    const { io, stdin, read } = person();
    const question = decisionOf(2, { kind: 'question', actionId: null, classification: null, action: 'Which disk?' });
    const answer = askAnswer(question, io);
    for (const line of ['', 'sda']) stdin.write(`${line}\n`);
    expect(await answer).toEqual({ verdict: 'proceed', answer: { answer: 'sda' } });
    expect(read()).toContain('an empty line is not an answer');
  });

  it('a second "a" aborts, and any other answer after the first "a" cancels the abort', async () => {
    const { io, stdin, read } = person();
    const answer = askAnswer(asked, io);
    for (const line of ['a', 'no', 'a', 'a']) stdin.write(`${line}\n`);
    expect(await answer).toEqual({ verdict: 'abort' });
    expect(read().match(/press a again to abort/g)?.length).toBe(2);
  });

  it('text that was typed at a terminal before the prompt appeared is ignored', async () => {
    const { io, stdin, read } = person({ isTTY: true });
    const answer = askAnswer(asked, io);
    stdin.write('r');
    await pause(600);
    stdin.write('\r');
    await pause(600);
    expect(read()).toContain('“r” was typed before the question appeared: type it again');
    stdin.write('r\r');
    expect(await answer).toEqual({ verdict: 'skip' });
  });
});

describe('the yes-or-no prompt', () => {
  it.each([
    ['y\n', true],
    ['Yes\n', true],
    ['n\n', false],
    ['no\n', false],
    ['\n', false],
    ['', false],
    ['yes please\ny\n', true],
  ])('the yes-or-no prompt reads the answer %j as %s', async (typed, is) => {
    const { io, stdin, read } = person();
    const answer = askYes(io, 'Really?');
    stdin.end(typed);
    expect(await answer).toBe(is);
    expect(read().includes('“yes please” is not an answer')).toBe(typed.startsWith('yes please'));
  });
});
