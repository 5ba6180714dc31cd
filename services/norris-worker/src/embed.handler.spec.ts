import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { presetsOf, Presets } from '@aish/contracts/config/presets.settings';
import { HttpBroker } from '@aish/broker';
import { TEXT_VECTORS } from '@aish/database/vectors.repository';
import { MemoryDocuments, MemoryItems, meaningOf, questionsOf } from '@aish/memory';
import {
  startScriptedEmbeddings,
  startScriptedModel,
  type ScriptedEmbeddings,
  type ScriptedModel,
} from '@aish/demo-model';
import { startEmbedding } from './embed.handler.js';
import { until, useWorkerWorld } from './testing/worker-world.js';

describe('a worker with a model for embeddings', () => {
  const world = useWorkerWorld();
  let model: ScriptedEmbeddings;
  let writer: ScriptedModel;

  beforeAll(async () => {
    model = await startScriptedEmbeddings([['nas', 'storage box']]);
    writer = await startScriptedModel({ script: () => ({ text: 'Who keeps our films?' }) });
  }, 120_000);
  afterAll(async () => {
    await world?.close();
    await model?.close();
    await writer?.close();
  });

  it('a worker embeds items as soon as it starts, and does nothing without a model', async () => {
    const presets = presetsOf(Presets.parse({ PRESETS: JSON.stringify([{ name: 'embed', baseUrl: model.url }]) }));
    const items = new MemoryItems(world.db, meaningOf(world.db, presets));
    await items.add('ann', { kind: 'fact', content: 'the NAS is called odin', tags: [], by: 'ann' });
    const without = await startEmbedding(world.queue, { db: world.db, meaning: null, questions: null }, world.logger);
    expect(await items.search('ann', 'storage box', 3)).toEqual([]);
    await without.close(1_000);
    const kept = { db: world.db, meaning: meaningOf(world.db, presets), questions: null };
    const worker = await startEmbedding(world.queue, kept, world.logger);
    await until('it is found in other words', async () => (await items.search('ann', 'storage box', 3)).length === 1);
    await worker.close(1_000);
    expect(world.logged).toEqual([]);
  });

  it('a worker embeds documents, and embeds the questions that a chat model writes about memory items', async () => {
    const named = (
      [
        ['embed', model.url],
        ['questions', writer.url],
      ] as const
    ).map(([name, baseUrl]) => ({ name, baseUrl }));
    const presets = presetsOf(Presets.parse({ PRESETS: JSON.stringify(named) }));
    const { db, queue, logger } = world;
    const items = new MemoryItems(db);
    await items.add('bea', { kind: 'fact', content: 'the NAS is called odin', tags: [], by: 'bea' });
    const bea = { owner: 'bea', app: null };
    await new MemoryDocuments(db).write(bea, 'user', { mode: 'replace', content: '# Names\nodin is the NAS' });
    expect(await items.search('bea', 'films', 3)).toEqual([]);
    const questions = questionsOf(db, new HttpBroker(), presets);
    await startEmbedding(queue, { db, meaning: meaningOf(db, presets), questions }, logger);
    await until('it is found by a question', async () => (await items.search('bea', 'films', 3)).length === 1);
    const vectors = () => TEXT_VECTORS.after(db.statements, 'document/user/bea', 0n, 10);
    await until('the document has a vector', async () => (await vectors()).length === 1);
    expect(world.logged).toEqual([]);
  });
});
