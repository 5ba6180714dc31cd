import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { KnowledgeOperation } from '@aish/contracts/knowledge-upkeep';
import type { Database } from '@aish/database/client';
import { openSuiteDatabase } from '@aish/database/testing/suite-database';
import { KnowledgeIndex } from './knowledge-index.js';
import { ScratchBase } from '../testing/scratch-base.js';

const ME = { name: 'craig', scope: null };

describe('an ID that curation has removed', () => {
  let scratch: ScratchBase;
  let db: Database;

  afterAll(async () => {
    scratch.remove();
  });
  openSuiteDatabase((opened) => (db = opened));
  beforeAll(async () => {
    scratch = await ScratchBase.make();
  }, 90_000);

  const add = async (title: string, body = '', projects = ['general']): Promise<string> => {
    const made = await scratch.base.remember({ title, summary: `About ${title}.`, body, projects }, ME);
    return made.id ?? '';
  };
  const plan = (operation: KnowledgeOperation) => scratch.base.plan(operation, ME);
  const carryOut = async (operation: KnowledgeOperation) => {
    const made = await plan(operation);
    await scratch.base.apply(made.planId, operation, ME);
    return made;
  };
  const readers = () => [scratch.base, new KnowledgeIndex(db, scratch.base)];

  it('a removed ID leads to its replacement, through several merges, from every clone and index', async () => {
    const [a, b, c] = [await add('nginx'), await add('nginx reload'), await add('web servers')];
    expect((await carryOut({ kind: 'merge', into: b, from: [a] })).moves).toEqual([
      { id: a, to: b, title: 'nginx reload' },
    ]);
    await carryOut({ kind: 'delete', id: b, repointTo: c });
    for (const reader of readers()) {
      expect(await reader.read(a, null)).toMatchObject({ id: c, movedFrom: { id: a, at: expect.any(String) } });
      expect(await reader.read(b.toUpperCase(), null)).toMatchObject({ id: c, movedFrom: { id: b } });
      expect((await reader.read(c, null)).movedFrom).toBeUndefined();
    }
  });

  it('a removed ID is reported as deleted to people who may see everything, and reveals nothing to others', async () => {
    const [gone, old, secret] = [await add('gone'), await add('old'), await add('for me', '', ['homelab'])];
    await carryOut({ kind: 'delete', id: gone });
    await carryOut({ kind: 'delete', id: old, repointTo: secret });
    for (const reader of readers()) {
      await expect(reader.read(gone, null)).rejects.toMatchObject({
        message: expect.stringMatching(/was deleted on 2/),
      });
      await expect(reader.read(gone, ['emacs'])).rejects.toMatchObject({ message: `There is no node ${gone}` });
      await expect(reader.read(old, ['emacs'])).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('a title cannot fake a move', async () => {
    const [a, b] = [await add('mine'), await add('theirs')];
    await carryOut({ kind: 'delete', id: a });
    await add(`curate: x\n\nMoved: ${a} to ${b}`);
    await expect(scratch.base.read(a, null)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('pointers in plain text are rewritten in nodes, and only listed elsewhere', async () => {
    const [old, next] = [await add('caddy config'), await add('caddy')];
    const pointing = await add('notes', `See kb: caddy config (${old}).`);
    await add('bare', `The id was ${old} then.`);
    const made = await carryOut({ kind: 'merge', into: next, from: [old] });
    expect(made.warnings).toEqual(['bare will still name an ID that is removed']);
    expect((await scratch.base.read(pointing, null)).body).toContain(`See kb: caddy (${next}).`);
  });
});
