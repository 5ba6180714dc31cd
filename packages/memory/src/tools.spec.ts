import { beforeAll, describe, expect, it } from '@jest/globals';
import type { MemoryCaller } from '@aish/contracts/memory';
import type { Database } from '@aish/database/client';
import { listCandidates } from '@aish/database/memory-candidates.repository';
import { openSuiteDatabase } from '@aish/database/testing/suite-database';
import { MemoryCandidates } from './candidates.js';
import { MemoryDocuments } from './documents.js';
import { MemoryItems } from './items.js';
import { Recall } from './recall/recall.js';
import { memoryToolsFor, toolSpecOf } from './tool-definitions.js';
import { callMemoryTool, type MemoryParts } from './tools.js';

const PERSON: MemoryCaller = { owner: 'alice', app: null };
const APP: MemoryCaller = { owner: 'alice', app: { name: 'watcher', space: 'home' } };

describe('the tools of the memory', () => {
  let db: Database;
  let parts: MemoryParts;
  openSuiteDatabase((opened) => (db = opened));
  beforeAll(async () => {
    const items = new MemoryItems(db);
    const recall = new Recall(db, items, null, null);
    parts = { items, candidates: new MemoryCandidates(db, items), documents: new MemoryDocuments(db), recall };
  }, 120_000);
  const call = (caller: MemoryCaller, name: string, args: object = {}) =>
    callMemoryTool(parts, caller, name, args, {
      sessionId: null,
      token: 'laptop',
      signal: AbortSignal.timeout(20_000),
    });

  it('the memory tools write, read in each mode, list and search as described', async () => {
    expect(await call(PERSON, 'memory_list')).toBe('There are no memory documents yet.');
    const content = '# State\nbackup disk: 93 % full\n## Config\nport: 3000\n';
    expect(await call(PERSON, 'memory_write', { scope: 'user', mode: 'replace', content })).toMatch(/^Written: version 1,/);
    expect(await call(PERSON, 'memory_read', { scope: 'user' })).toContain(content);
    expect(await call(PERSON, 'memory_read', { scope: 'user', mode: 'headers' })).toMatch(/\n1: # State\n3: ## Config$/);
    expect(await call(PERSON, 'memory_read', { scope: 'user', mode: 'section', section: 'Config' })).toMatch(/from line 3\]\n## Config\nport: 3000\n$/);
    expect(await call(PERSON, 'memory_read', { scope: 'user', mode: 'tail', lines: 1 })).toMatch(/\]\nport: 3000\n$/);
    await call(PERSON, 'memory_write', { scope: 'user', mode: 'replace', content: 'short', expectedVersion: 1 });
    expect(await call({ owner: 'carol', app: null }, 'memory_write', { scope: 'user', mode: 'append', content: 'psk = hv7Rk2pQ9x' })).toMatch(/It looks like it holds .+: secrets do not belong here\.$/);
    const listed = await call(PERSON, 'memory_list');
    expect(listed).toMatch(/^user: 5B, about \d+ tokens, version 2\n {2}memory\/\S+ \(replaced, /);
    const path = /memory\/\S+/.exec(listed)?.[0] ?? '';
    expect(await call(PERSON, 'memory_read', { scope: 'user', path })).toContain(content);
    await parts.items.add('alice', { kind: 'fact', content: 'the NAS is called odin', tags: [], by: 'alice' });
    expect(await call(PERSON, 'memory_search', { query: 'NAS', limit: 5 })).toBe('1 (fact) the NAS is called odin');
    expect(await call(PERSON, 'memory_search', { query: 'zebra', limit: 5 })).toBe('Nothing is remembered about that.');
    expect(await call(PERSON, 'memory_recall', { query: 'NAS' })).toMatch(/^- item 1, 20\S+: the NAS is called odin$/);
    expect(await call(PERSON, 'memory_recall', { query: 'zebra' })).toBe('Nothing is kept about that.');
  }); // prettier-ignore

  it('the tool memory_remember only proposes a candidate', async () => {
    const before = await parts.items.count('alice');
    expect(await call(PERSON, 'memory_remember', { kind: 'pref', content: 'tea, not coffee' })).toContain('not remembered until');
    expect(await parts.items.count('alice')).toBe(before);
    expect((await listCandidates(db.statements, 'alice', 'pending', 5)).map(({ content, proposedBy }) => [content, proposedBy])).toEqual([
      ['tea, not coffee', 'alice'],
    ]);
  }); // prettier-ignore

  it('the memory tools refuse calls that the caller may not make, or that do not match their schemas', async () => {
    expect(memoryToolsFor(APP).map(({ name }) => name)).not.toContain('memory_remember');
    await expect(call(APP, 'memory_remember', { kind: 'fact', content: 'x' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(call(APP, 'memory_write', { scope: 'user', mode: 'append', content: 'x' })).rejects.toMatchObject({ code: 'invalid_body' });
    await expect(call(APP, 'memory_write', { scope: 'space', mode: 'replace', content: 'x' })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(call(PERSON, 'memory_read', { scope: 'app' })).rejects.toMatchObject({ code: 'invalid_body' });
    await expect(call(APP, 'memory_read', { scope: 'app', space: 'other' })).rejects.toMatchObject({ code: 'invalid_body' });
    await expect(call(PERSON, 'memory_forget', {})).rejects.toMatchObject({ code: 'not_found' });
    await expect(call(PERSON, 'memory_read', { scope: 'user', path: 'memory/../x' })).rejects.toMatchObject({ code: 'invalid_body' });
    await expect(call(PERSON, 'memory_write', { scope: 'user', mode: 'append', content: 'x', expectedVersion: 99 })).rejects.toMatchObject({ code: 'version_changed' });
  }); // prettier-ignore

  it('the specs of the memory tools list exactly the arguments that their schemas accept', () => {
    for (const caller of [PERSON, APP]) {
      for (const tool of memoryToolsFor(caller)) {
        const spec = toolSpecOf(tool);
        expect([spec.name, spec.label]).toEqual([tool.name, tool.name.replace('_', '.')]);
        expect(Object.keys((spec.inputSchema as { properties?: object }).properties ?? {})).toEqual(
          Object.keys(tool.schema.shape),
        );
        expect(tool.schema.safeParse({ nonsense: 1 }).success).toBe(false);
      }
    }
  });
});
