import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { fused } from './fuse.js';
import { VectorSet, quantised } from './vectors.js';

describe('a set of vectors', () => {
  it('a set finds exactly the nearest of any vectors, even after changes', async () => {
    const vectors = fc.integer({ min: 1, max: 40 }).chain((size) =>
      fc.record({
        all: fc.array(fc.array(fc.integer({ min: -127, max: 127 }), { minLength: size, maxLength: size }), { minLength: 1, maxLength: 30 }),
        again: fc.array(fc.nat(40), { maxLength: 5 }),
      }),
    ); // prettier-ignore
    await fc.assert(
      fc.asyncProperty(vectors, async ({ all, again }) => {
        const rows = all.map((row) => Int8Array.from(row));
        const set = new VectorSet(rows[0]?.length ?? 1);
        for (const [n, row] of rows.entries()) {
          set.put(1_000 - n, row);
          await set.nearest(row, 3, setImmediate);
        }
        for (const n of again) if (n < rows.length) set.put(1_000 - n, rows[n] ?? new Int8Array());
        for (const [n, row] of rows.entries()) {
          set.put(2_000 + n, row);
          if (again.includes(n)) set.put(2_000 + n, row);
        }
        for (const n of rows.keys()) set.remove(2_000 + n);
        set.remove(77);
        const asked = rows[0] ?? new Int8Array();
        const wanted = rows.map((row) => cosine(row, asked)).toSorted((a, b) => b - a);
        const { near: found } = await set.nearest(asked, 5, setImmediate);
        expect(set.size).toBe(rows.length);
        expect(found.map(({ likeness }) => likeness.toFixed(6))).toEqual(
          wanted.slice(0, 5).map((each) => each.toFixed(6)),
        );
        for (const { key, likeness } of found) {
          expect(likeness).toBeCloseTo(cosine(rows[1_000 - key] ?? new Int8Array(), asked));
        }
      }),
    );
  });

  it('a search of vectors lets other work run, and finds a vector that is added during the search', async () => {
    const set = new VectorSet(768);
    const rowOf = (n: number) => Int8Array.from({ length: 768 }, (_, at) => ((n * 31 + at * 7) % 255) - 127);
    for (let n = 0; n < 12_000; n += 1) set.put(n, rowOf(n % 250));
    const wanted = Int8Array.from({ length: 768 }, (_, at) => (at % 2 === 0 ? 127 : -127));
    const looking = set.nearest(wanted, 1, setImmediate);
    // This vector is added where the search has already looked.
    const putting = setImmediate().then(() => set.put(3, wanted));
    expect((await looking).near).toMatchObject([{ key: 3, likeness: expect.closeTo(1, 5) }]);
    await putting;
    let turns = 0;
    const turn = (): Promise<void> => {
      turns += 1;
      return Promise.resolve();
    };
    await set.nearest(wanted, 1, turn);
    expect(turns).toBe(2);
  });

  it('the distance is larger if the set contains the vector, and is null for fewer than 100 vectors', async () => {
    const set = new VectorSet(16);
    const noise = (n: number) => Int8Array.from({ length: 16 }, (_, at) => ((n * 7919 + at * 104_729) % 251) - 125);
    for (let n = 0; n < 99; n += 1) set.put(n, noise(n));
    expect((await set.nearest(noise(200), 1, setImmediate)).distance).toBeNull();
    set.put(99, noise(99));
    const [first, other] = [
      await set.nearest(noise(50), 1, setImmediate),
      await set.nearest(noise(200), 1, setImmediate),
    ];
    expect(first.distance).toBeGreaterThan(other.distance ?? Infinity);
  });

  it('rounding to eight bits hardly changes the direction of a vector', async () => {
    const vector = Array.from({ length: 768 }, (_, n) => Math.sin(n * 12.9898) / 50);
    const whole = Int8Array.from(vector, (value) => Math.round(value * 127 * 50));
    expect(cosine(quantised(vector), whole)).toBeGreaterThan(0.9999);
    expect([...quantised([0, 0])]).toEqual([0, 0]);
    expect(() => new VectorSet(3).put(1, new Int8Array(4))).toThrow(RangeError);
    expect(await new VectorSet(3).nearest(new Int8Array(3), 5, setImmediate)).toEqual({ near: [], distance: null });
  });
});

it('fused merges rankings by place and trust', () => {
  const ranking = (trust: number, ...keys: number[]) => keys.map((key) => ({ key, trust }));
  const keys = (...rankings: ReturnType<typeof ranking>[]) => fused(rankings).map(({ key }) => key);
  expect(keys(ranking(1, 7, 8), ranking(1, 8, 9))).toEqual([8, 7, 9]);
  expect(keys(ranking(0.1, 5, 8), ranking(1, 7, 8))).toEqual([8, 7, 5]);
  expect(keys(ranking(0.01, 5, 6, 7, 8, 9), ranking(1, 1, 2, 3, 9))).toEqual([1, 2, 3, 9, 5, 6, 7, 8]);
  expect(keys([], [])).toEqual([]);
});

function cosine(a: Int8Array, b: Int8Array): number {
  const product = (x: Int8Array, y: Int8Array) => x.reduce((sum, value, n) => sum + value * (y[n] ?? 0), 0);
  return product(a, b) / Math.max(1, Math.sqrt(product(a, a)) * Math.sqrt(product(b, b)));
}
