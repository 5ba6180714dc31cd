import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HttpBroker } from '@aish/broker';
import { Presets, presetsOf } from '@aish/contracts/config/presets.settings';
import type { Database } from '@aish/database/client';
import { openSuiteDatabase } from '@aish/database/testing/suite-database';
import { startScriptedModel, type ScriptedModel } from '@aish/demo-model';
import { MemoryDocuments } from './documents.js';
import { MemoryItems } from './items.js';
import { parseQuestions, questionsOf } from './questions.js';
import { cutAll } from './recall/cut.js';
import { Recall } from './recall/recall.js';

describe('questions that notes answer', () => {
  let db: Database;
  let model: ScriptedModel;

  afterAll(async () => {
    await model?.close();
  });
  openSuiteDatabase((opened) => (db = opened));
  beforeAll(async () => {
    model = await startScriptedModel({
      script: (messages) =>
        messages[0]?.content.includes('odin') === true
          ? { text: '1. How is the storage box named?\n- Which machine keeps our films?\nno question' }
          : { text: 'I will not.' },
    });
  }, 120_000);

  it('a model writes the questions of a note once, and they find items and sections by words alone', async () => {
    const PRESETS = JSON.stringify([{ name: 'questions', baseUrl: model.url }]);
    const questions = questionsOf(db, new HttpBroker(), presetsOf(Presets.parse({ PRESETS })));
    const [items, documents, signal] = [new MemoryItems(db), new MemoryDocuments(db), AbortSignal.timeout(20_000)];
    const ann = { owner: 'ann', app: null };
    await items.add('ann', { kind: 'fact', content: 'the NAS is called odin', tags: [], by: 'ann' });
    await items.add('ann', { kind: 'fact', content: 'bread is baked on Sunday', tags: [], by: 'ann' });
    await documents.write(ann, 'user', { mode: 'replace', content: '# Names\nodin is the NAS' });
    await cutAll(db, signal);
    expect(await items.search('ann', 'storage box', 3)).toEqual([]);
    expect(await questions?.makeMissing(signal)).toBe(3);
    expect(await questions?.makeMissing(signal)).toBe(0);
    expect(await items.search('ann', 'storage box', 3)).toMatchObject([{ content: 'the NAS is called odin' }]);
    const found = await new Recall(db, items, null, null).find(
      { text: 'films', limit: 5 },
      { memory: ann, token: 'ann' },
      signal,
    );
    expect(found.items.map(({ kind }) => kind).toSorted()).toEqual(['document', 'item']);
    expect(questionsOf(db, new HttpBroker(), presetsOf(Presets.parse({})))).toBeNull();
  });

  it('a note gets at most three questions of one line each', () => {
    expect(parseQuestions('a?\n\n2) b?\n* c?\nd?')).toBe('a?\nb?\nc?');
    expect(parseQuestions('nothing asked')).toBe('');
  });
});
