import { describe, expect, it } from '@jest/globals';
import { probe } from './probe.js';

describe('probe', () => {
  it('is fine when nothing is wrong, and says what is', async () => {
    expect(await probe(async () => null)).toEqual({ ok: true, detail: null });
    expect(await probe(async () => 'no image')).toEqual({ ok: false, detail: 'no image' });
  });

  it('takes an error for an answer, by its first line or its code', async () => {
    expect(await probe(() => Promise.reject(new Error('gone\nstack')))).toEqual({ ok: false, detail: 'gone' });
    expect(await probe(() => Promise.reject(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })))).toEqual({
      ok: false,
      detail: 'ECONNREFUSED',
    });
  });

  it('does not wait for what never answers', async () => {
    expect(await probe(() => new Promise(() => undefined))).toMatchObject({
      ok: false,
      detail: expect.stringContaining('no answer'),
    });
  });
});
