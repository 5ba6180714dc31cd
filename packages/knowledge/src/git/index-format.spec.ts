import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { isAishError } from '@aish/contracts';
import * as fc from 'fast-check';
import { changeIndex } from './change-index.js';
import { ENTRY_HEAD, parseIndex, serializeIndex, type SplitIndex } from './index-format.js';
import { SharedIndex } from './shared-index.js';

/** Any bytes but NUL, and one longer than the field for lengths can say. */
const path = fc.oneof(
  fc.string({
    minLength: 1,
    maxLength: 40,
    unit: fc.integer({ min: 1, max: 255 }).map((byte) => String.fromCharCode(byte)),
  }),
  fc.constantFrom(
    'a',
    'a/b',
    'a.b',
    'nodes/3f/x.org',
    'nodes/3f/xy.org',
    'x'.repeat(4_094),
    'x'.repeat(4_095),
    'x'.repeat(9_000),
  ),
);
/** Without flags; the length is what the path says. */
const head = fc
  .uint8Array({ minLength: ENTRY_HEAD - 2, maxLength: ENTRY_HEAD - 2 })
  .map((bytes) => Buffer.concat([bytes, Buffer.alloc(2)]));
const position = fc.integer({ min: 0, max: 300 });
const index: fc.Arbitrary<SplitIndex> = fc
  .record({
    version: fc.constantFrom(2 as const, 4 as const),
    shared: fc
      .uint8Array({ minLength: 20, maxLength: 20 })
      .map((bytes) => `1${Buffer.from(bytes).toString('hex').slice(1)}`),
    replaced: fc.array(fc.tuple(position, head)).map((entries) => new Map(entries)),
    deleted: fc.array(position),
    added: fc.array(fc.tuple(path, head)).map((entries) => new Map(entries)),
    extensions: fc.constantFrom(new Map<string, Buffer>(), new Map([['TREE', Buffer.from('\0-1 0\n')]])),
  })
  .map((each) => ({ ...each, deleted: new Set(each.deleted.filter((at) => !each.replaced.has(at))) }));

const withoutLengths = (heads: Iterable<readonly [number | string, Buffer]>) =>
  [...heads]
    .map(([key, each]) => [key, each.subarray(0, -2).toString('hex')])
    .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1));
const told = (each: SplitIndex) => ({
  ...each,
  replaced: withoutLengths(each.replaced),
  deleted: [...each.deleted].toSorted((a, b) => a - b),
  added: withoutLengths(each.added),
});
const withChecksum = (body: Buffer): Buffer => Buffer.concat([body, createHash('sha1').update(body).digest()]);
const isRefused = (act: () => unknown): boolean => {
  try {
    act();
    return false;
  } catch (error) {
    if (isAishError(error, 'knowledge_git')) return true;
    throw error;
  }
};

describe('the small part of a split index', () => {
  it('is read as it was written, whatever the names are', () => {
    fc.assert(
      fc.property(index, (each) => {
        const file = serializeIndex(each);
        expect(told(parseIndex(file))).toEqual(told(each));
        expect(serializeIndex(parseIndex(file)).equals(file)).toBe(true);
      }),
    );
  });

  it('is refused when a byte of it is another, or some are missing', () => {
    fc.assert(
      fc.property(index, fc.nat(), fc.integer({ min: 1, max: 255 }), (each, at, change) => {
        const file = serializeIndex(each);
        expect(isRefused(() => parseIndex(file.subarray(0, at % file.length)))).toBe(true);
        const other = Buffer.from(file);
        other[at % file.length] = (other[at % file.length] ?? 0) ^ change;
        expect(isRefused(() => parseIndex(other))).toBe(true);
      }),
    );
  });

  it('is understood whole or refused when somebody wrote nonsense with a right checksum', () => {
    fc.assert(
      fc.property(
        index,
        fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 4 }),
        (each, changes) => {
          const body = Buffer.from(serializeIndex(each).subarray(0, -20));
          for (const [at, byte] of changes) body[at % body.length] = byte;
          isRefused(() => {
            const read = parseIndex(withChecksum(body));
            expect(told(parseIndex(serializeIndex(read)))).toEqual(told(read));
          });
          isRefused(() => SharedIndex.parse(withChecksum(body)));
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('the shared part', () => {
  it('finds every path and no other, and what begins alike, in both versions', () => {
    fc.assert(
      fc.property(index, fc.array(path), (each, others) => {
        // An index without bitmaps reads as a shared part does.
        const file = serializeIndex({ ...each, replaced: new Map(), deleted: new Set(), extensions: new Map() });
        const body = file.subarray(0, file.indexOf('link', -92));
        const shared = SharedIndex.parse(withChecksum(body));
        const paths = [...each.added.keys()].toSorted((a, b) => (a < b ? -1 : 1));
        expect(Array.from({ length: shared.count }, (_, at) => shared.pathAt(at))).toEqual(paths);
        expect(paths.map((known) => shared.find(known))).toEqual(paths.map((_, at) => at));
        for (const other of others) {
          expect(shared.find(other)).toBe(paths.indexOf(other));
          expect([...shared.startingWith(other)].map((at) => paths[at])).toEqual(
            paths.filter((known) => known.startsWith(other)),
          );
        }
      }),
    );
  });

  it('must be the one that the small part was made for, and no path may be a file and a folder', () => {
    const empty = { replaced: new Map(), deleted: new Set<number>(), extensions: new Map() };
    const entry = Buffer.alloc(ENTRY_HEAD);
    const file = serializeIndex({
      ...empty,
      version: 4,
      shared: '1'.repeat(40),
      added: new Map([
        ['a', entry],
        ['b/c', entry],
      ]),
    });
    const shared = SharedIndex.parse(withChecksum(file.subarray(0, file.indexOf('link'))));
    const small: SplitIndex = { ...empty, version: 4, shared: shared.hash, added: new Map() };
    const set = (...changes: (readonly [string, Buffer | null])[]) => changeIndex(small, shared, new Map(changes));
    expect(isRefused(() => changeIndex({ ...small, shared: '2'.repeat(40) }, shared, new Map()))).toBe(true);
    expect(isRefused(() => changeIndex({ ...small, deleted: new Set([2]) }, shared, new Map()))).toBe(true);
    expect(isRefused(() => set(['a/b', entry]))).toBe(true);
    expect(isRefused(() => set(['b', entry]))).toBe(true);
    expect(told(set(['a/b', entry], ['a', null], ['b', entry], ['b/c', null]))).toMatchObject({
      replaced: [],
      deleted: [0, 1],
      added: [
        ['a/b', expect.anything()],
        ['b', expect.anything()],
      ],
    });
  });
});
