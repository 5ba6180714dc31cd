import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { brokenOff, refusal, retryAfterSeconds } from './refusal.js';

const NOW = Date.UTC(2026, 0, 1);
const json = (error: unknown): string => JSON.stringify({ error });

describe('a response with a status other than 200', () => {
  it.each([
    ['model_context_overflow', 400, json({ type: 'exceed_context_size_error', n_prompt_tokens: 9, n_ctx: 8 })],
    ['model_context_overflow', 400, json({ code: 'context_length_exceeded', message: 'too long' })],
    ['model_loading', 503, json({ type: 'unavailable_error', message: 'Loading model' })],
    ['model_loading', 503, 'the model is loading'],
    ['model_unparsed', 500, json({ message: 'Failed to parse input at pos 3: <tool>' })],
    ['model_grammar', 400, json({ message: 'failed to parse grammar' })],
    ['model_no_tools', 500, json({ message: 'tools param requires --jinja flag' })],
    ['model_template', 500, json({ message: 'Jinja Exception: roles must alternate user/assistant' })],
    ['model_refused', 401, json({ message: 'no key' })],
    ['model_refused', 503, json('a plain text')],
    ['model_refused', 502, '<html>Bad gateway</html>'],
    ['model_refused', 500, ''],
  ])('a response with an error status becomes the error %s', (code, status, body) => {
    expect(refusal(status, body, null)).toMatchObject({ code });
  });

  it('an error names a web page instead of showing it', () => {
    const { message } = refusal(404, '<!DOCTYPE html><html><body>nginx</body></html>', null);
    expect(message).toBe(
      'The address answered 404 with a web page: no model server listens there, or a proxy stands before it',
    );
  });

  it.each([
    ['system', 'System message must be at the beginning'],
    ['user', 'No user query found in messages'],
    ['alternation', 'Jinja Exception: Conversation roles must alternate user/assistant'],
    ['tool', 'raise_exception: tool calls are not there'],
    ['other', 'Unable to generate parser for this template'],
  ])('the error says what the template refused: %s', (reason, message) => {
    expect(refusal(500, json({ message }), null).facts).toMatchObject({ reason });
  });

  it("an error contains the endpoint's numbers, pause, and unparsed text", () => {
    const overflow = json({ type: 'exceed_context_size_error', n_prompt_tokens: 9_000, n_ctx: 4_096 });
    expect(refusal(400, overflow, null).facts).toEqual({ promptTokens: 9_000, contextTokens: 4_096 });
    expect(refusal(429, '', null, 30).facts).toMatchObject({ status: 429, retryAfterS: 30 });
    const unparsed = json({ message: 'Failed to parse input at pos 3: line\n  two' });
    expect(refusal(500, unparsed, null).facts).toMatchObject({ text: 'line\n  two' });
  });

  it('an error of an endpoint never repeats the key, and is at most a few hundred characters long', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-zA-Z0-9]{8,30}$/),
        fc.string(),
        fc.constantFrom(400, 401, 429, 500, 503),
        (secret, words, status) => {
          const before = `${words} ${secret} ${'x'.repeat(2_000)}`;
          for (const body of [before, json({ message: before }), json(before)]) {
            const error = refusal(status, body, secret);
            expect(error.message).not.toContain(secret);
            expect(JSON.stringify(error.facts)).not.toContain(secret);
            expect(error.message.length).toBeLessThan(700);
          }
        },
      ),
    );
  });
});

describe('an error within a stream', () => {
  it.each([
    ['model_context_overflow', { type: 'exceed_context_size_error' }],
    ['model_unparsed', { message: 'Failed to parse input at pos 1: x' }],
    ['model_bad_stream', { message: 'out of memory' }],
    ['model_bad_stream', {}],
  ])('an error frame in a stream becomes the error %s', (code, error) => {
    expect(brokenOff(error, null)).toMatchObject({ code });
  });
});

describe('the seconds of Retry-After', () => {
  it.each([
    [undefined, null],
    ['', null],
    ['soon', null],
    ['0', 0],
    [' 12 ', 12],
    [new Date(NOW + 2_500).toUTCString(), 2],
    [new Date(NOW - 60_000).toUTCString(), 0],
  ])('the Retry-After header %j means %j seconds', (header, seconds) => {
    expect(retryAfterSeconds(header, NOW)).toBe(seconds);
  });
});
