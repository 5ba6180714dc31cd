import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { randomBytes, randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MemoryCaller } from '@aish/contracts/memory';
import { ReadDocument } from '@aish/contracts/memory-documents';
import { connectDatabase } from '@aish/database/client';
import { createTestDatabase } from '@aish/database/testing';
import { MemoryDocuments } from '@aish/memory';
import { startScriptedModel } from '@aish/demo-model';
import { ServiceProcess, freePort } from '../support/service.process.js';

const me: MemoryCaller = { owner: 'admin', app: null };
/** Kills continue a little beyond the time of an undisturbed compaction. */
const BEYOND = 1.3;
const ANSWER = '## State\nThe past, wörtlich: each round one line.';

/**
 * Kills the api with SIGKILL during compactions, at a different moment each time. Afterwards the document must be the
 * old or the new one, and every archive must be complete.
 */
export async function killsInCompaction(
  kills: number,
  progress: (line: string) => void = () => undefined,
): Promise<{ readonly counts: Record<string, number>; readonly faults: string[] }> {
  const model = await startScriptedModel({ script: () => ({ text: ANSWER, delayMs: 15 }) });
  const database = await createTestDatabase();
  const db = connectDatabase(database.url);
  const dir = await mkdtemp(join(tmpdir(), 'aish-kills-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const api = new ServiceProcess(
    'api',
    'services/api/dist/bundle/main.js',
    {
      DATABASE_URL: database.url,
      PORT: String(port),
      TOKEN_FILE: join(dir, 'token'),
      SANDBOX_TOKEN: randomBytes(16).toString('hex'),
      FAST_BASE_URL: model.url,
      SAFETY_SECOND_OPINION: 'off',
    },
    `${url}/v1/health`,
  );
  const documents = new MemoryDocuments(db);
  const counts = { old: 0, new: 0, archived: 0 };
  const faults: string[] = [];
  try {
    let wholeMs = 0;
    for (let round = 0; round <= kills; round += 1) {
      await api.start();
      const token = (await readFile(join(dir, 'token'), 'utf8')).trim();
      const old = `# Round ${round} ${randomUUID()}\n${'a line of the past, wörtlich\n'.repeat(5_000)}`;
      const { version } = await documents.write(me, 'user', { mode: 'replace', content: old });
      const began = performance.now();
      const asked = fetch(`${url}/v1/memory/documents/user/compact`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: '{}',
      }).catch(() => null); // the connection breaks, because the api is killed
      if (round === 0) {
        // The first compaction measures the duration, in a fresh process like all the others.
        if ((await asked)?.status !== 200) throw new Error('a compaction that nobody killed did not work');
        wholeMs = performance.now() - began;
        await api.kill('SIGKILL');
        continue;
      }
      await sleep((wholeMs * BEYOND * (round - 0.5)) / kills);
      await api.kill('SIGKILL');
      await asked;
      await databaseIsDone(db.pool);
      const { text } = await documents.read(me, 'user', ReadDocument.parse({}));
      const [info] = (await documents.list(me)).items;
      const { rows } = await db.pool.query<{ path: string }>(
        "select path from memory_archives where version = $1 and reason = 'compaction'",
        [version],
      );
      const path = rows[0]?.path ?? null;
      if (path !== null) {
        counts.archived += 1;
        const archive = await documents.read(me, 'user', ReadDocument.parse({ path }));
        if (archive.text !== old) faults.push(`round ${round}: the archive is not whole`);
      }
      const made = `<!-- compacted; before: ${path} -->\n${ANSWER}\n`;
      if (text === old) counts.old += 1;
      else if (text === made && path !== null) counts.new += 1;
      else faults.push(`round ${round}: the document is neither the old nor the new one: ${text.slice(0, 200)}`);
      if (info === undefined) faults.push(`round ${round}: the document is gone`);
      progress(
        `round ${round}/${kills}: ${text === old ? 'old' : 'new'}, ${path === null ? 'no archive' : 'archived'}`,
      );
    }
    // The next compaction repairs one that was interrupted.
    await api.start();
    const token = (await readFile(join(dir, 'token'), 'utf8')).trim();
    await documents.write(me, 'user', { mode: 'replace', content: 'x\n'.repeat(60_000) });
    const last = await fetch(`${url}/v1/memory/documents/user/compact`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{}',
    });
    if (last.status !== 200) faults.push(`afterwards a compaction was answered with ${last.status}`);
    return { counts, faults };
  } finally {
    await api.kill('SIGTERM');
    await db.close();
    await database.drop();
    await model.close();
    await rm(dir, { recursive: true, force: true });
  }
}

/** Waits until the database has completed or rolled back the requests of the killed process. */
async function databaseIsDone(pool: { query: (sql: string) => Promise<{ rows: { busy: string }[] }> }): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const { rows } = await pool.query(
      "select count(*) as busy from pg_stat_activity where application_name like 'aish%api%' and datname = current_database()",
    );
    if (rows[0]?.busy === '0') return;
    await sleep(25);
  }
  throw new Error('connections of the killed api stay open');
}
