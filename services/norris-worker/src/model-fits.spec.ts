import { describe, expect, it } from '@jest/globals';
import { HttpBroker, type Broker } from '@aish/broker';
import type { Preset } from '@aish/contracts/config/presets.settings';
import { UNKNOWN_FIT, type ModelFit } from '@aish/contracts/models';
import { findFit, saveFit } from '@aish/database/fits.repository';
import { modelFits } from './model-fits.js';
import { useWorkerWorld } from './testing/worker-world.js';

const presetAt = (baseUrl: string): Preset => ({
  name: 'fast',
  baseUrl,
  model: 'm',
  temperature: 0,
  maxTokens: 10,
  apiKey: null,
  connectTimeoutMs: 1_000,
  idleTimeoutMs: 1_000,
  totalTimeoutMs: 2_000,
});

describe('what a worker knows of models', () => {
  const world = useWorkerWorld();

  const probed: string[] = [];
  const found: ModelFit = { ...UNKNOWN_FIT, contextTokens: 4_096, checkedAt: new Date().toISOString() };
  const broker: Broker = Object.assign(new HttpBroker(), {
    fit: (preset: Preset, _: AbortSignal, asksModel = true) => {
      probed.push(`${preset.baseUrl}${asksModel ? '' : ', without its model'}`);
      return Promise.resolve(asksModel ? found : { ...found, isQuick: true });
    },
  });
  const stop = new AbortController().signal;

  it('is what the api or an earlier worker found out', async () => {
    await saveFit(world.db.statements, 'http://known', 'm', { ...found, contextTokens: 2_048 });
    const fits = modelFits(world.db, broker, true, () => undefined);
    expect(await fits.of(presetAt('http://known'), stop)).toMatchObject({ contextTokens: 2_048 });
    expect(probed).toEqual([]);
  });

  it('is found out and kept for others, and the model is asked only where there are tools', async () => {
    const [quiet, again] = [false, false].map((probes) => modelFits(world.db, broker, probes, () => undefined));
    expect(await quiet?.of(presetAt('http://new'), stop)).toMatchObject({ contextTokens: 4_096, isQuick: true });
    expect(await findFit(world.db.statements, 'http://new', 'm')).toMatchObject({ isQuick: true });
    await again?.of(presetAt('http://new'), stop);
    expect(probed).toEqual(['http://new, without its model']);
    const probing = modelFits(world.db, broker, true, () => undefined);
    expect(await probing.of(presetAt('http://new'), stop)).not.toHaveProperty('isQuick');
    expect(probed).toEqual(['http://new, without its model', 'http://new']);
    expect(await findFit(world.db.statements, 'http://new', 'm')).not.toHaveProperty('isQuick');
  });
});
