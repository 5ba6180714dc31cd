import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { isAishError } from '@aish/contracts/problems';
import * as fc from 'fast-check';
import { collectAnswer } from './answer.js';
import { AnswerDecoder, FRAME_MAX_CHARS } from './answer.decoder.js';
import type { ChatChunk } from './broker.port.js';

/** Reads an answer that was captured from llama.cpp, byte for byte. */
const fixture = (name: string): Buffer => readFileSync(new URL(`fixtures/${name}`, import.meta.url));

interface Outcome {
  readonly chunks: readonly ChatChunk[];
  readonly fault?: { code: string; message: string; facts: unknown };
}

/** Decodes the bytes, split at `cuts`. */
function decode(bytes: Uint8Array, cuts: readonly number[] = []): Outcome {
  const decoder = new AnswerDecoder('s3cret');
  const chunks: ChatChunk[] = [];
  const edges = [0, ...[...cuts].toSorted((a, b) => a - b), bytes.length];
  try {
    for (const [i, start] of edges.slice(0, -1).entries()) {
      for (const chunk of decoder.feed(bytes.subarray(start, edges[i + 1]))) chunks.push(chunk);
    }
    for (const chunk of decoder.finish()) chunks.push(chunk);
    return { chunks };
  } catch (error) {
    if (!isAishError(error)) throw error;
    return { chunks, fault: { code: error.code, message: error.message, facts: error.facts } };
  }
}

/** Joins neighbouring texts, because how they are split depends only on how the bytes arrive. */
function joined<T extends { chunks: readonly ChatChunk[] }>(decoded: T): T {
  const chunks: ChatChunk[] = [];
  for (const chunk of decoded.chunks) {
    const last = chunks.at(-1);
    if (chunk.type === 'text' && last?.type === 'text')
      chunks[chunks.length - 1] = { ...last, text: last.text + chunk.text };
    else chunks.push(chunk);
  }
  return { ...decoded, chunks };
}

const stream = (...frames: readonly unknown[]): Buffer =>
  Buffer.from(frames.map((frame) => `data: ${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n\n`).join(''));
const HI = stream({ choices: [{ delta: { content: 'hi' }, finish_reason: 'stop' }] });
const textFrame = (content: string) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const stopFrame = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };

describe('AnswerDecoder', () => {
  it('the decoder reads text, the model and the timings of an answer', async () => {
    expect(await collectAnswer(decode(fixture('chat-stream-cmd.sse')).chunks)).toEqual({
      text: 'CMD: ls -la\n',
      reasoning: '',
      toolCalls: [],
      finishReason: 'stop',
      model: 'tiny',
      usage: { promptTokens: 47, cachedTokens: 46, completionTokens: 13, promptMs: 1.96, completionMs: 2.014 },
    });
  });

  it('the decoder reads the usage frame, which has no choices', () => {
    expect(decode(fixture('chat-stream-usage.sse')).chunks).toEqual([
      { type: 'text', text: 'ue' },
      {
        type: 'end',
        finishReason: 'length',
        model: 'tiny',
        usage: { promptTokens: 47, cachedTokens: 46, completionTokens: 2, promptMs: 0.615, completionMs: 0.289 },
      },
    ]);
  });

  it.each([
    ['in a frame', 'data: {"choices":[],"energy":{"energy_joules":9.5,"energy_kwh":0.0000026}}\n\n'],
    ['beside the answer', ': energy {"energy_joules":9.5,"duration_seconds":0.5}\n\n'],
  ])('the decoder reads the energy of an answer if the server reports it %s', async (_, comment) => {
    expect(
      (await collectAnswer(decode(Buffer.concat([HI, Buffer.from(comment), stream('[DONE]')])).chunks)).usage,
    ).toMatchObject({ energyJ: 9.5 });
  });

  it.each([
    ': energy {"energy_joules":"',
    ': energy {"energy_joules":1e999}',
    'data: {"energy":"much"}',
    'data: {"energy":{"energy_joules":-1}}',
  ])('the decoder ignores an invalid energy: %s', async (comment) => {
    const bytes = Buffer.concat([HI, Buffer.from(`${comment}\n\n`), stream('[DONE]')]);
    const answer = await collectAnswer(decode(bytes).chunks);
    expect([answer.text, answer.usage?.energyJ]).toEqual(['hi', undefined]);
  });

  it('the decoder reads progress, and skips pings', () => {
    const progress = decode(fixture('chat-stream-progress.sse')).chunks.filter((chunk) => chunk.type === 'progress');
    expect(progress.map((chunk) => [chunk.processed, chunk.total])).toEqual([
      [47, 6070],
      [2095, 6070],
      [4143, 6070],
      [6070, 6070],
    ]);
    expect(decode(fixture('chat-stream-ping.sse')).chunks.map((chunk) => chunk.type)).toEqual(['text', 'end']);
  });

  it('the decoder keeps reasoning and text separate', async () => {
    expect(await collectAnswer(decode(fixture('think-stream.sse')).chunks)).toMatchObject({
      reasoning: 'list\n',
      text: 'CMD: ls\n',
    });
  });

  it('the decoder also reads reasoning from a field with another name', async () => {
    const frames = ['{"reasoning":"list"}', '{"content":"CMD: ls"}'].map(
      (delta) => `data: {"choices":[{"delta":${delta}}]}\n\n`,
    );
    const end = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
    expect(await collectAnswer(decode(Buffer.from(`${frames.join('')}${end}`)).chunks)).toMatchObject({
      reasoning: 'list',
      text: 'CMD: ls',
    });
  });

  it('the decoder joins the pieces of tool calls, and does not complete a call that was cut off', async () => {
    const two = await collectAnswer(decode(fixture('tools-two-calls.sse')).chunks);
    expect(two.finishReason).toBe('tool_calls');
    expect(two.toolCalls.map((call) => [call.index, call.name, call.id?.length])).toEqual([
      [0, 'fs.read_file', 32],
      [1, 'fs.read_file', 32],
    ]);
    for (const call of two.toolCalls) expect(JSON.parse(call.arguments)).toHaveProperty('path');
    const cut = await collectAnswer(decode(fixture('tools-cut.sse')).chunks);
    expect(cut.finishReason).toBe('length');
    expect(() => JSON.parse(cut.toolCalls[0]?.arguments ?? '')).toThrow(SyntaxError);
  });

  it('the decoded result, including errors, does not depend on how the bytes are split', () => {
    const names = [
      'chat-stream-utf8.sse',
      'chat-stream-ping.sse',
      'chat-stream-progress.sse',
      'chat-stream-usage.sse',
      'think-stream.sse',
      'tools-two-calls.sse',
      'error-midway.sse',
    ];
    for (const name of names) {
      for (const bytes of [fixture(name), Buffer.from(fixture(name).toString().replaceAll('\n', '\r\n'))]) {
        const whole = joined(decode(bytes));
        fc.assert(
          fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (cuts) => {
            expect(joined(decode(bytes, cuts))).toEqual(whole);
          }),
          { numRuns: 60 },
        );
        expect(joined(decode(bytes, [...bytes.keys()]))).toEqual(whole);
      }
    }
  });

  it('the decoder joins a character that is split between pieces', async () => {
    const bytes = fixture('chat-stream-utf8.sse');
    expect((await collectAnswer(decode(bytes, [...bytes.keys()]).chunks)).text).toBe('é✓😀\n');
  });

  it('an error of the endpoint comes after the text that the decoder received before it', () => {
    const { chunks, fault } = decode(fixture('error-midway.sse'));
    expect(chunks.map((chunk) => (chunk.type === 'text' ? chunk.text : chunk.type)).join('')).toBe('zsn fozs');
    expect(fault).toEqual({
      code: 'model_bad_stream',
      message: "The model's answer was interrupted: Context size has been exceeded.",
      facts: { message: 'Context size has been exceeded.' },
    });
  });

  it('a context overflow in mid-stream reports its numbers', () => {
    const error = { code: 400, message: 'too long', type: 'exceed_context_size_error', n_prompt_tokens: 9, n_ctx: 8 };
    expect(decode(stream(textFrame('a'), { error })).fault).toMatchObject({
      code: 'model_context_overflow',
      facts: { promptTokens: 9, contextTokens: 8 },
    });
  });

  it('the decoder reads the error line of older servers, and an error that is only a text', () => {
    const line = Buffer.from('error: {"code":500,"message":"slot is gone","type":"server_error"}\n\n');
    expect(decode(line).fault).toMatchObject({ code: 'model_bad_stream', facts: { message: 'slot is gone' } });
    expect(decode(stream({ error: 'no luck with s3cret' })).fault).toMatchObject({
      facts: { message: 'no luck with [key]' },
    });
  });

  it('only a finish reason or [DONE] ends the answer', () => {
    const end = { type: 'end', finishReason: 'stop' };
    expect(decode(stream(textFrame('a'), stopFrame)).chunks.at(-1)).toMatchObject(end);
    expect(decode(stream(textFrame('a'), stopFrame).subarray(0, -2)).chunks.at(-1)).toMatchObject(end);
    expect(decode(stream(textFrame('a'), '[DONE]', '{broken')).chunks.at(-1)).toMatchObject({ finishReason: 'other' });
    for (const bytes of [stream(textFrame('a')), Buffer.from('<html>hello</html>\n\n')]) {
      expect(decode(bytes).fault).toMatchObject({
        code: 'model_bad_stream',
        message: "The model's answer was interrupted: the stream ended before the answer did",
      });
    }
  });

  it('the decoder refuses a frame that is not JSON or not a chat chunk', () => {
    expect(decode(Buffer.from('')).fault?.message).toBe(
      "The model's answer was interrupted: the endpoint sent nothing",
    );
    expect(decode(stream('{"choices":[')).fault?.message).toMatch(/a frame is cut or is not JSON: \{"choices":\[/);
    expect(decode(stream({ choices: 'x' })).fault?.message).toMatch(/not a chat chunk/);
    expect(decode(stream({ choices: [{ delta: { content: 7 } }] })).fault?.message).toMatch(/content/);
  });

  it('the decoder refuses a line or frame of more than 4 MiB', () => {
    const piece = Buffer.alloc(64 * 1024, 'x');
    const decoder = new AnswerDecoder(null);
    const feedForever = (): void => {
      for (let i = 0; i * piece.length <= 2 * FRAME_MAX_CHARS; i += 1) expect([...decoder.feed(piece)]).toEqual([]);
    };
    expect(feedForever).toThrow(/longer than 4194304 characters/);
    expect(decode(stream(textFrame('x'.repeat(FRAME_MAX_CHARS)))).fault?.message).toMatch(/longer than 4194304/);
  });
});
