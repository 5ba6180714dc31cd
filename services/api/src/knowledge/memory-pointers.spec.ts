import { expect, it } from '@jest/globals';
import type { MemoryCaller } from '@aish/contracts/memory';
import { ReadDocument } from '@aish/contracts/memory-documents';
import type { Database } from '@aish/database/client';
import { openSuiteDatabase } from '@aish/database/testing/suite-database';
import { MemoryDocuments, MemoryItems } from '@aish/memory';
import { memoryPointers } from './memory-pointers.js';

const OLD = '3f0c9a52-5a5e-4d0c-9a5e-2f8b1d3c4e5f';
const NEXT = '4f0c9a52-5a5e-4d0c-9a5e-2f8b1d3c4e5f';
const alice: MemoryCaller = { owner: 'alice', app: null };
let db: Database;
openSuiteDatabase((opened) => (db = opened));

it("pointers to a removed node are found in the person's items and documents, and rewritten", async () => {
  const [items, documents] = [new MemoryItems(db), new MemoryDocuments(db)];
  const remember = (owner: string, content: string) => items.add(owner, { kind: 'fact', content, tags: [], by: owner });
  const { number } = await remember('alice', `Reloads: kb: nginx (${OLD.toUpperCase()})`);
  const bare = await remember('alice', `the id ${OLD}`);
  await remember('bob', `kb: nginx (${OLD})`);
  await documents.write(alice, 'space', { mode: 'replace', space: 'home', content: `# Web\nkb: nginx (${OLD})\n` });
  await documents.write({ owner: 'bob', app: null }, 'user', { mode: 'replace', content: `kb: nginx (${OLD})` });

  const moves = [{ id: OLD, to: NEXT, title: 'web servers' }];
  const expected = [
    { where: `item ${number} of memory`, rewritten: true },
    { where: `item ${bare.number} of memory`, rewritten: false },
    { where: 'memory document space/home', rewritten: true },
  ];
  expect(await memoryPointers(db, 'alice', moves, { rewrite: false })).toEqual(expected);
  expect(await memoryPointers(db, 'alice', moves, { rewrite: true })).toEqual(expected);
  const { items: now } = await items.list('alice', { state: 'active', limit: 10 });
  expect(now.map(({ content }) => content)).toEqual([`Reloads: kb: web servers (${NEXT})`, `the id ${OLD}`]);
  const { text } = await documents.read(alice, 'space', ReadDocument.parse({ space: 'home' }));
  expect(text).toBe(`# Web\nkb: web servers (${NEXT})\n`);

  const gone = [{ id: OLD, to: null, title: null }];
  expect(await memoryPointers(db, 'bob', gone, { rewrite: true })).toMatchObject([
    { rewritten: false },
    { where: 'memory document user/bob', rewritten: false },
  ]);
});
