import { describe, expect, it } from '@jest/globals';
import { probe } from './probe.js';

describe('probe', () => {
  it('a probe is fine if the check finds no fault, and otherwise names the fault', async () => {
    expect(await probe(async () => null)).toEqual({ ok: true, detail: null });
    expect(await probe(async () => 'no image')).toEqual({ ok: false, detail: 'no image' });
  });

  it('a probe that throws reports the first line of the error or its code', async () => {
    expect(await probe(() => Promise.reject(new Error('gone\nstack')))).toEqual({ ok: false, detail: 'gone' });
    expect(await probe(() => Promise.reject(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })))).toEqual({
      ok: false,
      detail: 'ECONNREFUSED',
    });
  });

  it('a probe does not wait for a check that never ends', async () => {
    expect(await probe(() => new Promise(() => undefined))).toMatchObject({
      ok: false,
      detail: expect.stringContaining('no answer'),
    });
  });
});
