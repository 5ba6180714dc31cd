import { setTimeout as sleep } from 'node:timers/promises';
import type { MemoryCaller } from '@aish/contracts/memory';
import { ReadDocument } from '@aish/contracts/memory-documents';
import { isAishError } from '@aish/contracts/problems';
import { connectDatabase } from '@aish/database/client';
import { MemoryDocuments, MemoryItems } from '@aish/memory';
import type { Written } from './memory-writers.js';

/** One of many writer processes. It writes for a while, then prints its acknowledged writes as JSON. */
async function main(): Promise<void> {
  const [url = '', what = '', owner = '', name = '', writers = '1', seconds = '1'] = process.argv.slice(2);
  const db = connectDatabase(url);
  const all = Array.from({ length: Number(writers) }, (_, n) => `${name}-${n}`);
  const written: Written = { added: {}, forgotten: {}, appended: [], replaced: [], refused: [] };
  try {
    const items = new MemoryItems(db);
    const documents = new MemoryDocuments(db);
    await items.count(owner); // Prisma only starts with its first query
    const until = Date.now() + Number(seconds) * 1000;
    await Promise.all(
      all.map((writer) =>
        what === 'items'
          ? writeItems(items, owner, writer, until, written)
          : writeDocument(documents, { owner, app: null }, writer, until, written),
      ),
    );
  } finally {
    await db.close();
  }
  process.stdout.write(JSON.stringify(written));
}

/** Adds two items, then deletes an item of its own, one that others may delete too, or none. */
async function writeItems(
  items: MemoryItems,
  owner: string,
  writer: string,
  until: number,
  written: Written,
): Promise<void> {
  let last = 0;
  for (let n = 0; Date.now() < until; n += 1) {
    if (n % 3 < 2) {
      const content = `${writer} says ${n}`;
      const item = await items.add(owner, { kind: 'fact', content, tags: [], by: writer });
      written.added[item.number] = content;
      last = item.number;
    } else {
      const target = n % 2 === 0 ? last : Math.max(1, last - (n % 40));
      const tombstone = await items.forget(owner, target, writer);
      if (tombstone !== null) written.forgotten[tombstone] = target;
    }
  }
}

/**
 * Appends to the document. The first writer of each process also reads, changes and replaces the document until it
 * succeeds.
 */
async function writeDocument(
  documents: MemoryDocuments,
  caller: MemoryCaller,
  writer: string,
  until: number,
  written: Written,
): Promise<void> {
  for (let n = 0; Date.now() < until; n += 1) {
    if (!writer.endsWith('-0')) {
      const mark = `<${writer}.${n}>`;
      const began = performance.now();
      await documents.write(caller, 'user', { mode: 'append', content: mark });
      written.appended.push(mark);
      // If the others made no pauses, a replacement would never succeed.
      await sleep(Math.min(2_000, Math.random() * 200 * (performance.now() - began)));
      continue;
    }
    const mark = `<${writer}.${n}>`;
    const { text, version } = await documents.read(caller, 'user', ReadDocument.parse({}));
    try {
      const content = `${text}\n## State\n${mark}\n`;
      await documents.write(caller, 'user', { mode: 'replace', content, expectedVersion: version });
      written.replaced.push(mark);
    } catch (error) {
      if (!isAishError(error, 'version_changed')) throw error;
      written.refused.push(mark);
    }
  }
}

await main();
