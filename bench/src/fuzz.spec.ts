import { describe, expect, it } from '@jest/globals';
import { fuzzNames, type Fuzz } from './fuzz.js';

/** A slow machine is not a failure here, but an answer that hangs is. */
const HANG_MS = 20_000;

describe.each(fuzzNames())('a short run of the fuzzer %s', (name) => {
  it('the fuzzer finds no failure in a short run', async () => {
    const { fuzz } = (await import(`./${name}.fuzz.js`)) as { fuzz: Fuzz };
    const { failures } = await fuzz.run({ ...fuzz.defaults, inputs: 2_000, limitMs: HANG_MS });
    expect(failures).toEqual([]);
  }, 120_000);
});
