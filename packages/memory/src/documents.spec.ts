import { beforeAll, describe, expect, it } from '@jest/globals';
import type { MemoryCaller } from '@aish/contracts/memory';
import { ReadDocument } from '@aish/contracts/memory-documents';
import type { Database } from '@aish/database/client';
import { openSuiteDatabase } from '@aish/database/testing/suite-database';
import { KINDS } from '@aish/secrets/testing';
import { MemoryDocuments } from './documents.js';

const alice: MemoryCaller = { owner: 'alice', app: null };
const watcher: MemoryCaller = { owner: 'alice', app: { space: 'home', name: 'watcher' } };
const how = (query: object = {}) => ReadDocument.parse(query);

describe('memory documents', () => {
  let db: Database;
  let documents: MemoryDocuments;

  openSuiteDatabase((opened) => (db = opened));
  beforeAll(async () => {
    documents = new MemoryDocuments(db, () => new Date('2026-02-22T15:30:12.000Z'));
  }, 120_000);

  it('a reader gets the headers, a section, the tail or all of a document, and its total size', async () => {
    const content = '# Notes ü\n## State\nok\n## Log\n```\n## State\n```\nline 1\nline 2\n';
    expect(await documents.write(alice, 'user', { mode: 'replace', content })).toEqual({
      scope: 'user',
      version: 1,
      sizeBytes: Buffer.byteLength(content),
      wholeTokens: 16,
      secrets: [],
    });
    const read = (query: object) => documents.read(alice, 'user', how(query));
    expect(await read({})).toMatchObject({ text: content, version: 1, lines: 9, wholeTokens: 16 });
    expect(await read({ mode: 'headers' })).toMatchObject({
      text: '1: # Notes ü\n2: ## State\n4: ## Log',
      wholeTokens: 16,
    });
    expect(await read({ mode: 'section', section: 'state' })).toMatchObject({ text: '## State\nok\n', fromLine: 2 });
    expect(await read({ mode: 'tail', lines: 2 })).toMatchObject({ text: 'line 1\nline 2\n', fromLine: 8 });
    await expect(read({ mode: 'section', section: 'nope' })).rejects.toMatchObject({
      code: 'not_found',
      facts: { headings: ['Notes ü', 'State', 'Log'] },
    });
    await expect(read({ mode: 'section' })).rejects.toMatchObject({ code: 'invalid_body' });
  });

  it('an append of only spaces is refused, because it would make a version without new text', async () => {
    const dora = { owner: 'dora', app: null };
    await documents.write(dora, 'user', { mode: 'append', content: 'x' });
    for (const content of ['', ' \n\t']) {
      await expect(documents.write(dora, 'user', { mode: 'append', content })).rejects.toMatchObject({
        code: 'invalid_body',
      });
    }
    expect(await documents.read(dora, 'user', how())).toMatchObject({ version: 1 });
  });

  it('a section whose title is not unique comes with a note that names the alternatives', async () => {
    const eve = { owner: 'eve', app: null };
    await documents.write(eve, 'user', { mode: 'replace', content: '# State\na\n# State\nb\n' });
    const notesOf = async (section: string) =>
      (await documents.read(eve, 'user', how({ mode: 'section', section }))).notes.join(' ');
    expect(await notesOf('State')).toContain('or "State [2]"');
    expect(await notesOf('State [2]')).toBe('');
  });

  it('suspected secrets are reported for the new text of a document, not for the old text', async () => {
    const bob = { owner: 'bob', app: null };
    const write = async (content: string) => {
      const { secrets } = await documents.write(bob, 'user', { mode: 'append', content });
      return secrets.map(({ title }) => title);
    };
    for (const { secrets, harmless } of KINDS) {
      for (const secret of secrets) expect([secret, await write(secret)]).not.toEqual([secret, []]);
      expect(await write(harmless.join('\n\n'))).toEqual([]);
    }
  });

  it('a document is empty and has version 0 before the first write', async () => {
    const nobody = { owner: 'nobody', app: null };
    expect(await documents.read(nobody, 'user', how())).toMatchObject({ text: '', version: 0, wholeTokens: 0 });
  });

  it('appended text gets a line with its time and author', async () => {
    await documents.write(watcher, 'space', { mode: 'append', content: 'disk full' });
    await documents.write(alice, 'space', { space: 'home', mode: 'append', content: 'noted\n' });
    expect((await documents.read(alice, 'space', how({ space: 'home' }))).text).toBe(
      '<!-- 2026-02-22T15:30:12.000Z by app watcher -->\ndisk full\n\n<!-- 2026-02-22T15:30:12.000Z by alice -->\nnoted\n',
    );
  });

  it('replaced text of a document is kept on request as readable archives, at most the newest 20', async () => {
    const caller = { owner: 'carol', app: null };
    for (let n = 0; n < 23; n += 1) {
      await documents.write(caller, 'user', { mode: 'replace', content: `text ${n}` }, { keepsOld: true });
    }
    const { items } = await documents.list(caller);
    const archives = items.find(({ scope }) => scope === 'user')?.archives ?? [];
    expect(archives).toHaveLength(20);
    const texts = await Promise.all(
      archives.map(async ({ path }) => (await documents.read(caller, 'user', how({ path }))).text),
    );
    expect(new Set(texts)).toEqual(new Set(Array.from({ length: 20 }, (_, n) => `text ${n + 2}`)));
  });

  it('a write is refused if the document has changed since it was read', async () => {
    const { version } = await documents.write(alice, 'space', { space: 'lost', mode: 'replace', content: 'a' });
    const second = { space: 'lost', mode: 'replace' as const, content: 'b', expectedVersion: version };
    await documents.write(alice, 'space', second);
    await expect(documents.write(alice, 'space', second)).rejects.toMatchObject({
      code: 'version_changed',
      facts: { version: version + 1 },
    });
    await expect(
      documents.write(alice, 'space', { space: 'new', mode: 'replace', content: 'b', expectedVersion: 1 }),
    ).rejects.toMatchObject({ code: 'version_changed' });
  });

  it('an app may not replace the document of its space, write that of its user, or read another space', async () => {
    await expect(documents.write(watcher, 'space', { mode: 'replace', content: 'x' })).rejects.toMatchObject({
      code: 'forbidden',
    });
    await expect(documents.write(watcher, 'user', { mode: 'append', content: 'x' })).rejects.toMatchObject({
      code: 'forbidden',
    });
    await expect(documents.read(watcher, 'space', how({ space: 'lab' }))).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('no append is lost if many writers append at the same time', async () => {
    const one = { owner: 'crowd', app: null };
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => documents.write(one, 'user', { mode: 'append', content: `entry ${n}.` })),
    );
    const { text, version } = await documents.read(one, 'user', how());
    expect(version).toBe(40);
    expect(Array.from({ length: 40 }, (_, n) => text.includes(`entry ${n}.`))).not.toContain(false);
  });

  it('a section, the headings and the tail of a 5 MB document are read correctly', async () => {
    const big = { owner: 'big', app: null };
    const content = Array.from({ length: 5_000 }, (_, n) => `## Part ${n}\n\n${'wörter '.repeat(125)}\n`).join('\n');
    await documents.write(big, 'user', { mode: 'replace', content });
    const section = await documents.read(big, 'user', how({ mode: 'section', section: 'Part 4321' }));
    expect(section.text).toBe(`## Part 4321\n\n${'wörter '.repeat(125)}\n\n`);
    expect((await documents.read(big, 'user', how({ mode: 'headers' }))).headings).toHaveLength(5_000);
    const tail = await documents.read(big, 'user', how({ mode: 'tail', lines: 400 }));
    expect(tail.text).toBe(
      content
        .split(/(?<=\n)/)
        .slice(-400)
        .join(''),
    );
    expect(tail.fromLine).toBe(content.split('\n').length - 400);
  }, 60_000);

  it('summaries of sessions are stored as archives, even several per minute', async () => {
    const keep = (slug?: string) => documents.saveSummary(watcher, 'app', { content: '# Done', slug });
    expect([await keep(), await keep(), await keep('disk-check')]).toEqual([
      'memory/2026-02-22-1530',
      'memory/2026-02-22-1530-2',
      'memory/2026-02-22-1530-disk-check',
    ]);
    const archive = await documents.read(watcher, 'app', how({ path: 'memory/2026-02-22-1530-2', mode: 'section' }));
    expect(archive).toMatchObject({ text: '# Done', version: 0 });
    await expect(documents.read(watcher, 'app', how({ path: 'memory/2026' }))).rejects.toMatchObject({
      code: 'not_found',
    });
    const { items } = await documents.list(watcher);
    expect(items.map(({ scope, archives }) => [scope, archives.length])).toContainEqual(['app', 3]);
  });
});
