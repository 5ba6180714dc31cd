import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { presetsOf, Presets } from '@aish/contracts/config/presets.settings';
import { MemoryItems, meaningOf } from '@aish/memory';
import { startScriptedEmbeddings, type ScriptedEmbeddings } from '@aish/rehearsal';
import { keepMeanings } from './embed.handler.js';
import { until, useWorkerWorld } from './testing/worker-world.js';

describe('a worker with a model for embeddings', () => {
  const world = useWorkerWorld();
  let model: ScriptedEmbeddings;

  beforeAll(async () => {
    model = await startScriptedEmbeddings([['nas', 'storage box']]);
  }, 120_000);
  afterAll(async () => {
    await world?.close();
    await model?.close();
  });

  it('asks it what items mean as soon as it starts, and does nothing without one', async () => {
    const presets = presetsOf(Presets.parse({ PRESETS: JSON.stringify([{ name: 'embed', baseUrl: model.url }]) }));
    const items = new MemoryItems(world.db, meaningOf(world.db, presets));
    await items.add('ann', { kind: 'fact', content: 'the NAS is called odin', tags: [], by: 'ann' });
    const without = await keepMeanings(world.queue, { db: world.db, meaning: null, questions: null }, world.logger);
    expect(await items.search('ann', 'storage box', 3)).toEqual([]);
    await without.close(1_000);
    const kept = { db: world.db, meaning: meaningOf(world.db, presets), questions: null };
    await keepMeanings(world.queue, kept, world.logger);
    await until('it is found in other words', async () => (await items.search('ann', 'storage box', 3)).length === 1);
    expect(world.logged).toEqual([]);
  });
});
