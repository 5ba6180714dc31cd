import { describe, expect, it } from '@jest/globals';
import { HttpBroker, type Broker } from '@aish/broker';
import type { Preset } from '@aish/contracts/config/presets.settings';
import { UNKNOWN_CAPABILITIES, type ModelCapabilities } from '@aish/contracts/models';
import { findCapabilities, saveCapabilities } from '@aish/database/capabilities.repository';
import { modelCapabilities } from './model-capabilities.js';
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

describe('the model capabilities of a worker', () => {
  const world = useWorkerWorld();

  const probed: string[] = [];
  const found: ModelCapabilities = {
    ...UNKNOWN_CAPABILITIES,
    contextTokens: 4_096,
    checkedAt: new Date().toISOString(),
  };
  const broker: Broker = Object.assign(new HttpBroker(), {
    capabilities: (preset: Preset, _: AbortSignal, asksModel = true) => {
      probed.push(`${preset.baseUrl}${asksModel ? '' : ', without its model'}`);
      return Promise.resolve(asksModel ? found : { ...found, isQuick: true });
    },
  });
  const stop = new AbortController().signal;

  it('a worker uses the capabilities of a model that the api or another worker stored', async () => {
    await saveCapabilities(world.db.statements, 'http://known', 'm', { ...found, contextTokens: 2_048 });
    const capabilityStore = modelCapabilities(world.db, broker, true, () => undefined);
    expect(await capabilityStore.of(presetAt('http://known'), stop)).toMatchObject({ contextTokens: 2_048 });
    expect(probed).toEqual([]);
  });

  it('a worker stores the capabilities of a model, and sends a request to the model itself only if it may probe', async () => {
    const [quiet, again] = [false, false].map((probes) => modelCapabilities(world.db, broker, probes, () => undefined));
    expect(await quiet?.of(presetAt('http://new'), stop)).toMatchObject({ contextTokens: 4_096, isQuick: true });
    expect(await findCapabilities(world.db.statements, 'http://new', 'm')).toMatchObject({ isQuick: true });
    await again?.of(presetAt('http://new'), stop);
    expect(probed).toEqual(['http://new, without its model']);
    const probing = modelCapabilities(world.db, broker, true, () => undefined);
    expect(await probing.of(presetAt('http://new'), stop)).not.toHaveProperty('isQuick');
    expect(probed).toEqual(['http://new, without its model', 'http://new']);
    expect(await findCapabilities(world.db.statements, 'http://new', 'm')).not.toHaveProperty('isQuick');
  });
});
