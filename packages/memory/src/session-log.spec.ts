import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { MemoryCaller } from '@aish/contracts/memory';
import { ReadDocument } from '@aish/contracts/memory-documents';
import { insertChat } from '@aish/database/chats.repository';
import type { Database } from '@aish/database/client';
import { openSuiteDatabase } from '@aish/database/testing/suite-database';
import { inTransaction } from '@aish/database/transaction';
import { insertToken } from '@aish/database/tokens.repository';
import { appendTurn } from '@aish/database/turns.repository';
import { MemoryDocuments } from './documents.js';
import { keepSessionLog, renderSessionLog } from './session-log.js';

const watcher: MemoryCaller = { owner: 'alice', app: { space: 'home', name: 'watcher' } };

describe('the log of a session in a space', () => {
  let db: Database;
  let documents: MemoryDocuments;

  openSuiteDatabase((opened) => (db = opened));
  beforeAll(async () => {
    documents = new MemoryDocuments(db);
    await insertToken(db.statements, {
      id: randomUUID(),
      name: 'disk-watcher',
      hash: 'x',
      scopes: ['app', 'operate'],
      owner: 'alice',
      app: watcher.app ?? undefined,
    });
  }, 120_000);

  const newChat = async (owner: string, title: string | null = null): Promise<string> => {
    const id = randomUUID();
    const how = { preset: 'fast', autoContinue: false, confirmCommands: true, forkedFrom: null };
    await inTransaction(db, (tx) => insertChat(tx, { id, owner, title, ...how }));
    return id;
  };
  const say = (id: string, role: 'user' | 'assistant' | 'output', text: string) =>
    appendTurn(db.statements, id, { role, provenance: 'person', content: text });
  const logs = async () => (await documents.list(watcher)).items.flatMap(({ archives }) => archives);

  it('the session of an app has one log beside the document of the app, without secrets', async () => {
    const id = await newChat('disk-watcher', 'disks');
    await say(id, 'user', 'how full is odin?');
    await say(id, 'output', '[exec] $ df -h /srv\nexit code 0\n| 81%');
    await say(id, 'assistant', 'It is 81 % full.');
    const path = await keepSessionLog(db, documents, id);
    await say(id, 'user', `the key is ghp_${'a1B2c3D4e5F6'.repeat(3)}`);
    expect(await keepSessionLog(db, documents, id)).toBe(path);
    expect(await logs()).toMatchObject([{ path, reason: 'session' }]);
    const { text } = await documents.read(watcher, 'app', ReadDocument.parse({ path }));
    expect(text).toMatch(/^# c\d+: disks\n\na chat; 4 turns; began 2/);
    expect(text).toContain('- ran: $ df -h /srv (exit code 0)');
    expect(text).toContain('## Last words\n\nIt is 81 % full.');
    expect(text).not.toContain('ghp_');
  });

  it('the session of a person has its log beside the document of its space', async () => {
    const id = await newChat('alice');
    await db.pool.query("update sessions set space = 'pond' where id = $1", [id]);
    await say(id, 'user', 'feed the heron');
    const path = await keepSessionLog(db, documents, id);
    const of = ReadDocument.parse({ path, space: 'pond' });
    expect((await documents.read({ owner: 'bob', app: null }, 'space', of)).text).toContain('- asked: feed the heron');
  });

  it('a session of the default space, or without any message, has no log', async () => {
    const id = await newChat('alice');
    await say(id, 'user', 'hello');
    expect(await keepSessionLog(db, documents, id)).toBeNull();
    expect(await keepSessionLog(db, documents, await newChat('disk-watcher'))).toBeNull();
  });

  it('the newest fifty session logs and all manual archives are kept', async () => {
    await documents.saveSummary(watcher, 'app', { content: 'mine', slug: 'by-hand' });
    for (let n = 0; n < 52; n += 1) {
      const id = await newChat('disk-watcher');
      await say(id, 'user', `check ${n}`);
      await keepSessionLog(db, documents, id);
    }
    const kept = await logs();
    expect(kept).toHaveLength(51);
    expect(kept.some(({ path }) => path.endsWith('-by-hand'))).toBe(true);
  }, 60_000);

  it('the log of a session is limited in size', () => {
    const turns = Array.from({ length: 5_000 }, (_, seq) => ({
      seq,
      role: 'user' as const,
      content: 'x '.repeat(5_000),
    }));
    const session = {
      kind: 'chat' as const,
      number: 1,
      title: 't',
      space: 'general',
      createdAt: new Date(),
      owner: 'a',
      goalState: null,
    };
    expect(renderSessionLog(session, turns).length).toBeLessThan(100_000);
  });
});
