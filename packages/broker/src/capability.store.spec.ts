import type { Preset } from '@aish/contracts/config/presets.settings';
import { UNKNOWN_CAPABILITIES, type ModelCapabilities } from '@aish/contracts/models';
import { AishError } from '@aish/contracts/problems';
import { describe, expect, it } from '@jest/globals';
import type { Broker } from './broker.port.js';
import { CapabilityStore, type CapabilityRows } from './capability.store.js';
import { PRESET } from './testing/preset.js';

const CAPABILITIES: ModelCapabilities = { ...UNKNOWN_CAPABILITIES, contextTokens: 4_096, nativeTools: true };
const never = new AbortController().signal;

/** Returns a store in a map, which can be made to fail. */
function storeOf(kept = new Map<string, ModelCapabilities>(), isBroken = false): CapabilityRows {
  const keyOf = (baseUrl: string, model: string): string => `${baseUrl} ${model}`;
  return {
    load: async (baseUrl, model) => kept.get(keyOf(baseUrl, model)) ?? null,
    save: async (baseUrl, model, capabilities) => {
      if (isBroken) throw new Error('the store is broken');
      kept.set(keyOf(baseUrl, model), capabilities);
    },
  };
}

/** Returns a broker whose endpoint gives these answers to probes in order, and then repeats the last one. */
function endpoint(
  ...answers: readonly (ModelCapabilities | AishError | 'silence')[]
): Pick<Broker, 'capabilities' | 'identity'> {
  let asked = 0;
  const capabilities = async (_preset: Preset, signal: AbortSignal): Promise<ModelCapabilities> => {
    const answer = answers[Math.min(asked, answers.length - 1)] ?? 'silence';
    asked += 1;
    if (answer instanceof AishError) throw answer;
    if (answer !== 'silence') return answer;
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new AishError('aborted', 'stopped')), { once: true });
    });
  };
  return { capabilities, identity: async () => null };
}

const AWAY = new AishError('model_unreachable', 'nobody is there');

function bookOf(
  broker: Pick<Broker, 'capabilities' | 'identity'>,
  store = storeOf(),
): { readonly book: CapabilityStore; readonly errors: unknown[] } {
  const errors: unknown[] = [];
  return { book: new CapabilityStore(broker, store, (error) => errors.push(error), 0), errors };
}

describe('capabilities of a model', () => {
  it('the capabilities of a model are probed at first contact and stored for the next process', async () => {
    const kept = new Map<string, ModelCapabilities>();
    const { book } = bookOf(endpoint(CAPABILITIES, AWAY), storeOf(kept));
    expect(await book.known(PRESET)).toBeNull();
    expect(await book.of(PRESET, never)).toEqual(CAPABILITIES);
    expect(await book.of(PRESET, never)).toEqual(CAPABILITIES);
    const { book: next } = bookOf(endpoint(AWAY), storeOf(kept));
    expect(await next.of(PRESET, never)).toEqual(CAPABILITIES);
    expect(await next.known(PRESET)).toEqual(CAPABILITIES);
  });

  it('the capabilities of a model are unknown while its endpoint is unavailable, and that is not an error', async () => {
    const { book, errors } = bookOf(endpoint(AWAY));
    expect(await book.of(PRESET, never)).toEqual(UNKNOWN_CAPABILITIES);
    expect(errors).toEqual([]);
  });

  it('presets with the same endpoint and model share capabilities, and two models have separate ones', async () => {
    const { book } = bookOf(endpoint(CAPABILITIES, { ...CAPABILITIES, contextTokens: 8_192 }));
    expect(await book.of(PRESET, never)).toEqual(CAPABILITIES);
    expect(await book.of({ ...PRESET, name: 'other' }, never)).toEqual(CAPABILITIES);
    expect((await book.of({ ...PRESET, model: 'big' }, never)).contextTokens).toBe(8_192);
  });

  it('a question to a model does not wait for an endpoint that does not answer', async () => {
    const { book } = bookOf(endpoint('silence'));
    expect(await book.of(PRESET, never)).toEqual(UNKNOWN_CAPABILITIES);
    expect(await book.of(PRESET, AbortSignal.abort())).toEqual(UNKNOWN_CAPABILITIES);
    book.stop();
  });

  it('learn updates the capabilities of a model, and the newest twenty notes are kept', async () => {
    const { book } = bookOf(endpoint(CAPABILITIES));
    await book.of(PRESET, never);
    for (let n = 0; n < 25; n += 1) await book.learn(PRESET, { contextTokens: n }, `note ${n}`);
    const capabilities = await book.of(PRESET, never);
    expect(capabilities).toMatchObject({ contextTokens: 24, nativeTools: true });
    expect(capabilities.notes).toEqual(Array.from({ length: 20 }, (_, n) => `note ${n + 5}`));
  });

  it('capabilities are kept in memory if they cannot be stored, and the error is reported', async () => {
    const { book, errors } = bookOf(endpoint(CAPABILITIES), storeOf(new Map(), true));
    expect(await book.of(PRESET, never)).toEqual(CAPABILITIES);
    expect(errors).toMatchObject([{ message: 'the store is broken' }]);
  });

  describe('an endpoint that reports what it serves', () => {
    const capabilitiesOf = (identity: string): ModelCapabilities => ({
      ...CAPABILITIES,
      identity,
      model: identity,
      contextTokens: identity.length,
      sampling: null,
    });
    /** Returns an endpoint whose model can be swapped, and the list of probes that it received. */
    function swappable() {
      const served = { now: 'small' };
      const probed: string[] = [];
      const capabilities = async (): Promise<ModelCapabilities> => {
        probed.push(served.now);
        return capabilitiesOf(served.now);
      };
      return { served, probed, broker: { capabilities, identity: async () => served.now } };
    }

    it('the next question notices a swapped model and adds a note', async () => {
      const { served, broker } = swappable();
      const { book } = bookOf(broker);
      expect((await book.of(PRESET, never)).model).toBe('small');
      served.now = 'a larger one';
      const capabilities = await book.of(PRESET, never);
      expect(capabilities).toMatchObject({ model: 'a larger one', contextTokens: 12 });
      expect(capabilities.notes).toEqual(['the endpoint now serves a larger one instead of small']);
    });

    it('a changed chat template is reported, with the old and the new one', async () => {
      const served = { template: 'aaaaaaaa-first' };
      const capabilities = async (): Promise<ModelCapabilities> => ({
        ...capabilitiesOf('small'),
        identity: served.template,
        ...served,
      });
      const { book } = bookOf({ capabilities, identity: async () => served.template });
      await book.of(PRESET, never);
      served.template = 'bbbbbbbb-second';
      expect((await book.of(PRESET, never)).notes).toEqual([
        'small now has a different template: bbbbbbbb instead of aaaaaaaa',
      ]);
    });

    it('a model that is served again gets its earlier capabilities without a new probe', async () => {
      const { served, probed, broker } = swappable();
      const { book } = bookOf(broker);
      await book.of(PRESET, never);
      await book.learn(PRESET, { nativeTools: false }, 'it calls no tools');
      for (const next of ['other', 'small']) {
        served.now = next;
        await book.of(PRESET, never);
      }
      expect(await book.of(PRESET, never)).toMatchObject({ model: 'small', nativeTools: false });
      expect(probed).toEqual(['small', 'other']);
    });

    it('a new process finds the capabilities that another process stored for the current model', async () => {
      const kept = new Map<string, ModelCapabilities>();
      const { served, probed, broker } = swappable();
      for (const next of ['small', 'other', 'small']) {
        served.now = next;
        expect((await bookOf(broker, storeOf(kept)).book.of(PRESET, never)).model).toBe(next);
      }
      expect(probed).toEqual(['small', 'other']);
    });
  });

  describe('a requested probe', () => {
    it('a requested probe returns the current state of the endpoint', async () => {
      const { book } = bookOf(endpoint(CAPABILITIES, { ...CAPABILITIES, contextTokens: 8_192 }));
      await book.of(PRESET, never);
      expect((await book.probe(PRESET)).contextTokens).toBe(8_192);
      expect((await book.of(PRESET, never)).contextTokens).toBe(8_192);
    });

    it('a requested probe fails if the endpoint does not answer, even if its capabilities are known', async () => {
      const { book } = bookOf(endpoint(CAPABILITIES, AWAY));
      await book.of(PRESET, never);
      await expect(book.probe(PRESET)).rejects.toBe(AWAY);
      expect(await book.of(PRESET, never)).toEqual(CAPABILITIES);
    });

    it('a requested probe works again after a failed one', async () => {
      const { book } = bookOf(endpoint(AWAY, CAPABILITIES));
      await expect(book.probe(PRESET)).rejects.toBe(AWAY);
      expect(await book.probe(PRESET)).toEqual(CAPABILITIES);
    });
  });
});
