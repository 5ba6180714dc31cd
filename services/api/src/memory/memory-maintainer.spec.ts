import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { HttpBroker } from '@aish/broker';
import { Presets, presetNamed, presetsOf } from '@aish/contracts/config/presets.settings';
import type { Notice } from '@aish/contracts/events';
import { insertChat } from '@aish/database/chats.repository';
import type { Database } from '@aish/database/client';
import { openSuiteDatabase } from '@aish/database/testing/suite-database';
import { inTransaction } from '@aish/database/transaction';
import { insertToken } from '@aish/database/tokens.repository';
import { appendTurn } from '@aish/database/turns.repository';
import { createLogger } from '@aish/http';
import { Compactor, MemoryCandidates, MemoryDocuments, MemoryItems, Recall } from '@aish/memory';
import { memoryChores } from './memory-chores.js';
import { MemoryMaintainer } from './memory-maintainer.js';
import { Summaries } from './summaries.js';

const app = { owner: 'alice', app: { space: 'home', name: 'watcher' } };
const settings = { summarizeAtEnd: false, summarizeEvery: 0, pruneOlderThanDays: null, compactAboveBytes: 1_000_000 };
let db: Database;
let documents: MemoryDocuments;
const maintainers: MemoryMaintainer[] = [];

afterAll(async () => {
  for (const maintainer of maintainers) await maintainer.stop();
});
openSuiteDatabase((opened) => (db = opened));
beforeAll(async () => {
  documents = new MemoryDocuments(db);
  await insertToken(db.statements, {
    id: randomUUID(),
    name: 'disk-watcher',
    hash: 'x',
    scopes: ['app', 'operate'],
    ...app,
  });
}, 120_000);

/** Starts a maintainer without a model. @returns a function that sends it notices */
function startMaintainer(): (notice: Notice | 'gap') => void {
  const model = new HttpBroker();
  const preset = presetNamed(presetsOf(Presets.parse({ FAST_BASE_URL: 'http://127.0.0.1:9' })), 'fast');
  const items = new MemoryItems(db);
  const candidates = new MemoryCandidates(db, items);
  const memory = { items, candidates, documents, recall: new Recall(db, items, null, null) };
  const summaries = new Summaries(candidates, model, [], preset);
  const compactor = new Compactor(db, documents, model, preset);
  const logger = createLogger('error', 'test', { write: () => undefined });
  const maintainer = new MemoryMaintainer(
    db,
    memoryChores({ db, memory, summaries, compactor, logger }, settings),
    settings,
    logger,
  );
  let tell: (notice: Notice | 'gap') => void = () => undefined;
  maintainer.start((listener) => {
    tell = listener;
    return () => undefined;
  });
  maintainers.push(maintainer);
  return (notice) => tell(notice);
}

async function reply(text: string): Promise<string> {
  const id = randomUUID();
  const how = { preset: 'fast', autoContinue: false, confirmCommands: true, forkedFrom: null };
  await inTransaction(db, (tx) => insertChat(tx, { id, owner: 'disk-watcher', title: text, ...how }));
  await appendTurn(db.statements, id, { role: 'user', provenance: 'person', content: text });
  return id;
}

async function logsOf(text: string): Promise<number> {
  const { items } = await documents.list(app);
  let found = 0;
  for (const { path } of items.flatMap(({ archives }) => archives)) {
    const reading = await documents.read(app, 'app', { mode: 'full', lines: 50, path });
    if (reading.text.includes(`asked: ${text}`)) found += 1;
  }
  return found;
}

async function isLogged(text: string): Promise<void> {
  for (let tries = 0; (await logsOf(text)) === 0; tries += 1) {
    expect([text, tries < 100]).toEqual([text, true]);
    await sleep(100);
  }
}

it('the memory maintainer writes session logs when it starts, after each exchange, and after missed notices', async () => {
  await reply('before it started');
  const tell = startMaintainer();
  await isLogged('before it started');
  const sessionId = await reply('while it listens');
  tell({ type: 'events', sessionId, goalId: null, seq: 1, types: ['exchange.started'] });
  await sleep(1_000);
  expect(await logsOf('while it listens')).toBe(0);
  tell({ type: 'events', sessionId, goalId: null, seq: 2, types: ['exchange.ended'] });
  await isLogged('while it listens');
  const goal = await reply('as a goal');
  tell({ type: 'events', sessionId: goal, goalId: randomUUID(), seq: 1, types: ['goal.changed'] });
  await isLogged('as a goal');
  await reply('while nobody told it');
  tell('gap');
  await isLogged('while nobody told it');
}, 60_000);
