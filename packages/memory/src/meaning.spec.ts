import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Presets, presetsOf } from '@aish/contracts/config/presets.settings';
import type { Database } from '@aish/database/client';
import { openSuiteDatabase } from '@aish/database/testing/suite-database';
import { startScriptedEmbeddings, type ScriptedEmbeddings } from '@aish/demo-model';
import { MemoryItems } from './items.js';
import { meaningOf, type Meaning } from './meaning.js';

const MEANINGS = [
  ['nas', 'storage box'],
  ['backup', 'safety copies'],
  ['espresso', 'coffee'],
];

describe('searching items by meaning', () => {
  let db: Database;
  let model: ScriptedEmbeddings;
  const signal = () => AbortSignal.timeout(20_000);

  afterAll(async () => {
    await model?.close();
  });
  openSuiteDatabase((opened) => (db = opened));
  beforeAll(async () => {
    model = await startScriptedEmbeddings(MEANINGS);
  }, 120_000);

  const open = (url = model.url): { readonly meaning: Meaning; readonly items: MemoryItems } => {
    const embed = { name: 'embed', baseUrl: url };
    const meaning = meaningOf(
      db,
      presetsOf(Presets.parse({ PRESETS: JSON.stringify([{ ...embed, connectTimeoutMs: 500 }]) })),
    ) as Meaning;
    return { meaning, items: new MemoryItems(db, meaning) };
  };
  const add = (items: MemoryItems, owner: string, content: string) =>
    items.add(owner, { kind: 'fact', content, tags: [], by: owner });

  it('a search by meaning finds active items of the owner once they have embeddings', async () => {
    const { meaning, items } = open();
    for (let n = 0; n < 40; n += 1) await add(items, 'ann', `host ${n} runs Debian`);
    const { number } = await add(items, 'ann', 'the NAS is called odin');
    await add(items, 'bob', 'the NAS of bob');
    expect(await items.lookFor('ann', 'name of our storage box', 3)).toMatchObject({ items: [], meaning: 'used' });
    expect(await meaning.makeMissing(signal())).toBe(42);
    expect(await meaning.makeMissing(signal())).toBe(0);
    expect((await items.search('ann', 'name of our storage box', 3))[0]?.content).toBe('the NAS is called odin');
    // Later items are found, too: by words immediately.
    await add(items, 'ann', 'backups run at night');
    expect((await items.search('ann', 'backups', 3))[0]?.content).toBe('backups run at night');
    await meaning.makeMissing(signal());
    expect((await items.search('ann', 'when are safety copies made', 3))[0]?.content).toBe('backups run at night');
    await items.forget('ann', number, 'ann');
    const left = await items.search('ann', 'name of our storage box', 50);
    expect(left.map(({ content }) => content)).not.toContain('the NAS is called odin');
    expect(left.every(({ content }) => !content.includes('bob'))).toBe(true);
  });

  it('a search by words or by meaning reports low confidence if no result fits', async () => {
    const { meaning, items } = open();
    for (let n = 0; n < 120; n += 1) await add(items, 'fits', `host ${n} runs Debian ${n % 7}`);
    await add(items, 'fits', 'the NAS is called odin');
    const fits = async (question: string, by = items) => (await by.lookFor('fits', question, 3)).fits;
    const words = new MemoryItems(db);
    expect([await fits('what is the NAS called', words), await fits('who paid for the NAS in cash', words)]).toEqual([
      true,
      false,
    ]);
    // A day counts as one search term, not as three words that the note lacks.
    expect([await fits('the NAS today', words), await fits('the NAS on 24 May 1999', words)]).toEqual([true, false]);
    await meaning.makeMissing(signal());
    expect([await fits('name of our storage box'), await fits('which songs does the parrot sing')]).toEqual([
      true,
      false,
    ]);
    expect((await words.lookFor('fits', 'zzzz', 3)).fits).toBe(false);
  });

  it('the search uses words alone while the model is unavailable, and reports that', async () => {
    const { items } = open('http://127.0.0.1:9');
    await add(items, 'away', 'the espresso machine leaks');
    expect(await items.lookFor('away', 'espresso', 3)).toMatchObject({ items: [{}], meaning: 'unavailable' });
    const began = performance.now();
    expect((await items.lookFor('away', 'coffee', 3)).meaning).toBe('unavailable');
    expect(performance.now() - began).toBeLessThan(500);
    expect((await new MemoryItems(db).lookFor('away', 'espresso', 3)).meaning).toBe('off');
    await expect(open('http://127.0.0.1:9').meaning.makeMissing(signal())).rejects.toMatchObject({
      code: 'model_unreachable',
    });
  });

  it('embeddings are computed again when the model changes, and until then the search uses words', async () => {
    const { meaning, items } = open();
    await add(items, 'owner', 'the espresso machine leaks');
    await meaning.makeMissing(signal());
    model.model = 'another';
    expect(await items.lookFor('owner', 'coffee', 3)).toMatchObject({ items: [], meaning: 'used' });
    expect(await items.search('owner', 'espresso', 3)).toHaveLength(1);
    expect(await meaning.makeMissing(signal())).toBeGreaterThan(40);
    expect(await items.search('owner', 'coffee', 3)).toHaveLength(1);
  });
});
