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
    fit: (preset: Preset) => {
      probed.push(preset.baseUrl);
      return Promise.resolve(found);
    },
  });
  const stop = new AbortController().signal;

  it('is what the api or an earlier worker found out', async () => {
    await saveFit(world.db.statements, 'http://known', 'm', { ...found, contextTokens: 2_048 });
    const fits = modelFits(world.db, broker, true, () => undefined);
    expect(await fits.of(presetAt('http://known'), stop)).toMatchObject({ contextTokens: 2_048 });
    expect(probed).toEqual([]);
  });

  it('is probed and kept for others where there are tools, and neither where there are none', async () => {
    const quiet = modelFits(world.db, broker, false, () => undefined);
    expect(await quiet.of(presetAt('http://quiet'), stop)).toEqual(UNKNOWN_FIT);
    expect(await findFit(world.db.statements, 'http://quiet', 'm')).toBeNull();
    const probing = modelFits(world.db, broker, true, () => undefined);
    expect(await probing.of(presetAt('http://new'), stop)).toMatchObject({ contextTokens: 4_096 });
    expect(probed).toEqual(['http://new']);
    expect(await findFit(world.db.statements, 'http://new', 'm')).toMatchObject({ contextTokens: 4_096 });
  });
});
