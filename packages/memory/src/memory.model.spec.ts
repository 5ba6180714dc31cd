import { beforeAll, describe, expect, it } from '@jest/globals';
import { MemoryKind, type MemoryCaller } from '@aish/contracts/memory';
import { ReadDocument } from '@aish/contracts/memory-documents';
import type { Database } from '@aish/database/client';
import { openSuiteDatabase } from '@aish/database/testing/suite-database';
import * as fc from 'fast-check';
import { MemoryDocuments } from './documents.js';
import { MemoryItems } from './items.js';
import { exportLines, importFile } from './memory-file.js';
import { BACKGROUND_HEADING } from './render-background.js';

let db: Database;
let items: MemoryItems;
let owners = 0;
openSuiteDatabase((opened) => (db = opened));
beforeAll(async () => {
  items = new MemoryItems(db);
}, 120_000);

const kind = fc.constantFrom(...MemoryKind.options);
/** Content that people may type: any non-empty text without NUL, which Postgres cannot store. */
const content = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .map((text) => text.replaceAll('\0', '').trim())
  .filter((text) => text !== '');
const act = fc.oneof(
  { weight: 5, arbitrary: fc.record({ add: content, kind }) },
  { weight: 3, arbitrary: fc.record({ edit: fc.nat(12), to: content }) },
  { weight: 3, arbitrary: fc.record({ forget: fc.nat(12) }) },
  { weight: 1, arbitrary: fc.constant({ clear: true as const }) },
);

type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

/** The expected record, in an array. */
interface Kept {
  readonly number: number;
  readonly kind: string;
  readonly content: string;
}

async function play(owner: string, acts: readonly Act[]): Promise<{ active: Kept[]; last: number }> {
  let active: Kept[] = [];
  let last = 0;
  const at = (n: number) => active.find(({ number }) => number === n);
  for (const each of acts) {
    if ('add' in each) {
      const added = await items.add(owner, { kind: each.kind, content: each.add, tags: [], by: owner });
      expect(added.number).toBe((last += 1));
      active.push({ number: last, kind: each.kind, content: each.add });
    } else if ('edit' in each) {
      const old = at(each.edit);
      const edited = items.edit(owner, each.edit, { content: each.to, by: owner });
      if (old === undefined) await expect(edited).rejects.toMatchObject({ code: 'not_found' });
      else {
        const { number, replaces } = await edited;
        expect(replaces).toBe(old.number);
        // Both the item and the tombstone of the old item get a number.
        last += 2;
        expect(number === last || number === last - 1).toBe(true);
        active = [...active.filter((other) => other !== old), { ...old, number, content: each.to }];
      }
    } else if ('forget' in each) {
      const old = at(each.forget);
      const tombstone = await items.forget(owner, each.forget, owner);
      expect(tombstone).toBe(old === undefined ? null : (last += 1));
      active = active.filter((other) => other !== old);
    } else {
      const gone = await items.forgetAll(owner, owner);
      expect(gone.toSorted((a, b) => a - b)).toEqual(active.map(({ number }) => number).toSorted((a, b) => a - b));
      last += gone.length;
      active = [];
    }
  }
  return { active, last };
}

describe('the items of a person', () => {
  it('items reflect every add, edit and forget, and an exported file restores them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 14 }), async (acts) => {
        const owner = `model-${(owners += 1)}`;
        const { active, last } = await play(owner, acts);
        const listed = async (of: string) =>
          (await items.list(of, { state: 'active', limit: 100 })).items
            .map(({ number, kind: its, content: text }) => ({ number, kind: its, content: text }))
            .toSorted((a, b) => a.number - b.number);
        expect(await listed(owner)).toEqual(active.toSorted((a, b) => a.number - b.number));
        expect(await items.count(owner)).toBe(active.length);

        const lines: string[] = [];
        for await (const line of exportLines(db, owner)) lines.push(line);
        expect(lines.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual(
          Array.from({ length: last }, (_, n) => n + 1),
        );
        const copy = `${owner}-copy`;
        const file = lines.join('\n');
        expect(await importFile(db, copy, file, copy)).toMatchObject({ imported: last, known: 0, renumbered: [], broken: [] });
        expect(await listed(copy)).toEqual(await listed(owner));
        // All entries are known the second time.
        expect(await importFile(db, copy, file, copy)).toMatchObject({ imported: 0, renumbered: [] });
        const again: string[] = [];
        for await (const line of exportLines(db, copy)) again.push(line);
        expect(again).toEqual(lines);
      }),
      { numRuns: 25 },
    );
  }, 120_000); // prettier-ignore

  it('a chat gets as many items of its owner as fit, the newest first', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(content, { minLength: 1, maxLength: 12 }), fc.integer({ min: 80, max: 400 }), async (all, maxChars) => {
        const owner = `room-${(owners += 1)}`;
        for (const each of all) await items.add(owner, { kind: 'fact', content: each, tags: [], by: owner });
        const { text, numbers, more } = await items.background(owner, { mode: 'newest', maxChars }, null);
        expect(text === null || (text.startsWith(BACKGROUND_HEADING) && text.length <= maxChars)).toBe(true);
        expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
        expect(more).toBe(numbers.length < all.length);
        expect((await items.background(`${owner}-other`, { mode: 'newest', maxChars }, null)).text).toBeNull();
        expect((await items.background(owner, { mode: 'off', maxChars }, null)).text).toBeNull();
      }),
      { numRuns: 15 },
    );
  }, 60_000); // prettier-ignore

  it('an item is found by each of its words, for all letters and digits', async () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'e', 'k', 'q', 'z', '0', '7', 'ä', 'ß', 'ñ'), minLength: 4, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(word, { minLength: 2, maxLength: 6 }), fc.constantFrom("'", '\\', ' & ', ' | ', ':*', '!'), async (words, odd) => {
        const owner = `words-${(owners += 1)}`;
        for (const each of words) await items.add(owner, { kind: 'fact', content: `it is ${each}`, tags: [], by: owner });
        for (const each of words) {
          const found = await items.search(owner, `${odd}${each}${odd}`, 10);
          expect(found.map(({ content: text }) => text)).toContain(`it is ${each}`);
        }
      }),
      { numRuns: 10 },
    );
  }, 60_000); // prettier-ignore
});

describe('a document', () => {
  const line = fc.constantFrom(
    '# One',
    '## Two',
    '## Two',
    '### Deep',
    'text',
    '- item',
    '```',
    '# in code',
    '',
    'ünïcödé 🙂',
    '<!-- x -->',
  );
  // A blank text is refused, because there is nothing to append.
  const text = fc
    .array(line, { minLength: 1, maxLength: 30 })
    .map((lines) => `${lines.join('\n')}\n`)
    .filter((lines) => lines.trim() !== '');

  it('every part of a document can be read exactly as it was written', async () => {
    const documents = new MemoryDocuments(db);
    await fc.assert(
      fc.asyncProperty(text, text, fc.integer({ min: 1, max: 12 }), async (first, second, lines) => {
        const me: MemoryCaller = { owner: `doc-${(owners += 1)}`, app: null };
        const read = (query: object) => documents.read(me, 'user', ReadDocument.parse(query));
        await documents.write(me, 'user', { mode: 'replace', content: first });
        await documents.write(me, 'user', { mode: 'append', content: second });
        const whole = await read({});
        expect(whole.text.startsWith(first) && whole.text.endsWith(second)).toBe(true);
        expect([whole.version, whole.sizeBytes]).toEqual([2, Buffer.byteLength(whole.text)]);
        const all = whole.text.split(/(?<=\n)/);
        expect((await read({ mode: 'tail', lines })).text).toBe(all.slice(-lines).join(''));
        const { headings } = await read({ mode: 'headers' });
        for (const heading of headings ?? []) {
          expect(all[heading.line - 1]).toContain(heading.title);
          const section = await read({ mode: 'section', section: heading.title });
          expect(section.text.startsWith('#'.repeat(1))).toBe(true);
          expect(whole.text).toContain(section.text);
          expect(all.slice((section.fromLine ?? 1) - 1).join('').startsWith(section.text)).toBe(true);
        }
        await expect(read({ mode: 'section', section: 'there is none' })).rejects.toMatchObject({ code: 'not_found' });
      }),
      { numRuns: 30 },
    );
  }, 60_000); // prettier-ignore
});
