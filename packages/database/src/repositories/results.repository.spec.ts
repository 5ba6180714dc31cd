import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Database } from '../client.js';
import { newChat } from '../testing/new-sessions.js';
import { openSuiteDatabase } from '../testing/suite-database.js';
import { findResult, keepResult, keptResults } from './results.repository.js';

describe('stored results', () => {
  let db: Database;
  openSuiteDatabase((opened) => (db = opened), { max: 8 });

  const text = (content: string) => ({ label: 'a tool', mimeType: null, content, sizeBytes: content.length });

  it('results are numbered within their session without gaps, despite parallel writers', async () => {
    const [one, other] = [await newChat(db), await newChat(db)];
    const numbers = await Promise.all(Array.from({ length: 12 }, (_, n) => keepResult(db, one, text(`text ${n}`))));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n + 1));
    expect(await keepResult(db, other, text('x'))).toBe(1);
    expect(await findResult(db.statements, one, numbers[3] ?? 0)).toMatchObject({ label: 'a tool', content: 'text 3' });
  });

  it('each session keeps its newest two hundred results', async () => {
    const id = await newChat(db);
    await db.statements.$executeRaw`
      insert into kept_results (session_id, n, label, content, size_bytes)
      select ${id}::uuid, n, 'l', 'c', 1 from generate_series(1, 200) as n`;
    expect(await keepResult(db, id, text('newest'))).toBe(201);
    expect(await findResult(db.statements, id, 1)).toBeNull();
    expect(await findResult(db.statements, id, 2)).not.toBeNull();
  });

  it('a stored result can be read by its handle, but only in its own session', async () => {
    const [id, other] = [await newChat(db), await newChat(db)];
    const kept = keptResults(db);
    const handle = await kept.keep(id, text('long\0 text'));
    const picture = await kept.keep(id, { ...text('aGk='), mimeType: 'image/png' });
    expect(handle).toBe('r-1');
    expect(await kept.readText(id, handle)).toBe('long\uFFFD text');
    expect(await kept.readText(id, picture)).toBeNull();
    expect(await kept.readText(other, handle)).toBeNull();
    for (const wrong of ['r-0', 'r-', '1', 'r-01', 'r-1; drop', 'r-9999999999', '']) {
      expect(await kept.readText(id, wrong)).toBeNull();
    }
  });

  it('storing a result for a session that does not exist fails and leaves nothing', async () => {
    await expect(keepResult(db, randomUUID(), text('x'))).rejects.toMatchObject({ code: '23503' });
  });
});
