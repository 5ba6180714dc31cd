import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '@aish/database/client';
import { saveLabSnapshot } from '@aish/database/lab.repository';
import { inTransaction } from '@aish/database/transaction';
import { openSuiteDatabase } from '@aish/database/testing/suite-database';
import { createLogger } from '@aish/http';
import { KnowledgeTools } from '@aish/knowledge';
import { ScratchBase } from '@aish/knowledge/testing';
import { readFacts } from '@aish/lab';
import { KnowledgeService } from '../knowledge/knowledge.service.js';
import { InventoryService } from './inventory.service.js';
import { rowsOf } from './kept-snapshots.js';

const silent = createLogger('error', 'test', { write: () => undefined });
const signal = AbortSignal.timeout(120_000);
const TOKEN = `ghp_${'a1B2'.repeat(9)}`;
const container = (name: string, image: string) => [
  { probe: 'container', name, engine: 'docker', image, imageId: 'x', state: 'running', ports: '3000->3000/tcp' },
  { probe: 'container', done: true },
];

describe('the inventory page', () => {
  let db: Database;
  let scratch: ScratchBase;
  let knowledge: KnowledgeService;
  let inventory: InventoryService;
  afterAll(async () => {
    await inventory?.onModuleDestroy();
    scratch?.remove();
  });
  openSuiteDatabase((opened) => (db = opened));
  beforeAll(async () => {
    scratch = await ScratchBase.make();
    knowledge = new KnowledgeService(db, scratch.base, silent);
    inventory = new InventoryService(db, knowledge, silent);
    await db.pool.query(
      `insert into hosts (name, address, port, "user", login, created_by)
       select name, name || '.lan', 2222, 'aish', 'certificate', 'ann' from unnest(array['nas', 'web']) as name`,
    );
  }, 120_000);

  const look = async (host: string, lines: readonly object[]) => {
    const readings = readFacts(lines.map((each) => JSON.stringify(each)).join('\n'));
    const at = new Date();
    const rows = rowsOf({ host, at, answered: true, detail: '', readings });
    await inTransaction(db, (tx) => saveLabSnapshot(tx, host, at, rows));
  };
  const ask = (name: string, args: object) => {
    const tools = new KnowledgeTools(knowledge, ({ owner }) => Promise.resolve({ name: owner, owner, scope: null }));
    const context = { owner: 'ann', sessionId: 's', goalId: null };
    return tools.ask({ id: '1', name, arguments: JSON.stringify(args) }, context, signal);
  };

  it('a model that asks where a service runs finds the inventory page', async () => {
    await inventory.write(signal);
    expect(scratch.git('ls-files', 'nodes')).toBe('');
    await look('nas', container('grafana', 'grafana/grafana:11'));
    await look('web', container('proxy', 'caddy:2.11.4-alpine'));
    await inventory.write(signal);
    const hits = await ask('kb_query', { text: 'where does grafana run?' });
    const id = /\(([0-9a-f-]{36})\)/.exec(hits)?.[1] ?? '';
    expect(hits).toContain('- What runs where (');
    expect(await ask('kb_read', { id })).toContain(
      '- nas: nas.lan:2222\n  - Container grafana: docker grafana/grafana:11, ports 3000->3000/tcp\n- web: web.lan:2222\n',
    );
  });

  it('the inventory page is committed only when it changes, and a removed host disappears from it', async () => {
    const head = scratch.git('rev-parse', 'HEAD');
    await look('nas', container('grafana', 'grafana/grafana:11'));
    await inventory.write(signal);
    expect(scratch.git('rev-parse', 'HEAD')).toBe(head);
    await db.pool.query(`delete from hosts where name = 'web'`);
    await inventory.write(signal);
    expect(await ask('kb_query', { text: 'caddy' })).toContain('Nothing found');
    expect(scratch.git('rev-list', '--count', `${head.trim()}..HEAD`).trim()).toBe('1');
  });

  it('text from a host that looks like a secret is masked in the inventory page', async () => {
    await look('nas', container('grafana', `registry.lan/${TOKEN}:1`));
    await inventory.write(signal);
    const text = scratch.git('grep', '-h', 'Container grafana', 'HEAD');
    expect(text).toContain('docker registry.lan/***');
    expect(text).not.toContain(TOKEN);
  });

  it('a brief continues if the inventory page cannot be written', async () => {
    const none = new InventoryService(db, new KnowledgeService(db, null, silent), silent);
    none.follow();
    scratch.write({ 'nodes/draft.org': 'half a thought' });
    inventory.follow();
    await Promise.all([none.onModuleDestroy(), expect(inventory.write(signal)).rejects.toThrow(/draft\.org/)]);
  });
});
