import type { Preset } from '@aish/contracts/config/presets.settings';
import { UNKNOWN_CAPABILITIES, type ModelCapabilities } from '@aish/contracts/models';
import { AishError } from '@aish/contracts/problems';
import { describe, expect, it } from '@jest/globals';
import type { Broker } from './broker.port.js';
import { CapabilityStore, type CapabilityRows } from './capability.store.js';
import { PRESET } from './testing/preset.js';

const CAPABILITIES: ModelCapabilities = { ...UNKNOWN_CAPABILITIES, contextTokens: 4_096, nativeTools: true };
const never = new AbortController().signal;

/** A store over a map, which may be broken. */
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

/** A broker whose endpoint gives these answers to probes, one after the other, the last one again and again. */
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

describe('what is known of a model', () => {
  it('is found out at first contact and kept for the next process', async () => {
    const kept = new Map<string, ModelCapabilities>();
    const { book } = bookOf(endpoint(CAPABILITIES, AWAY), storeOf(kept));
    expect(await book.known(PRESET)).toBeNull();
    expect(await book.of(PRESET, never)).toEqual(CAPABILITIES);
    expect(await book.of(PRESET, never)).toEqual(CAPABILITIES);
    const { book: next } = bookOf(endpoint(AWAY), storeOf(kept));
    expect(await next.of(PRESET, never)).toEqual(CAPABILITIES);
    expect(await next.known(PRESET)).toEqual(CAPABILITIES);
  });

  it('is nothing while the endpoint is away, and nobody has to be told', async () => {
    const { book, errors } = bookOf(endpoint(AWAY));
    expect(await book.of(PRESET, never)).toEqual(UNKNOWN_CAPABILITIES);
    expect(errors).toEqual([]);
  });

  it('is the same for presets of one endpoint and model, and apart for two models', async () => {
    const { book } = bookOf(endpoint(CAPABILITIES, { ...CAPABILITIES, contextTokens: 8_192 }));
    expect(await book.of(PRESET, never)).toEqual(CAPABILITIES);
    expect(await book.of({ ...PRESET, name: 'other' }, never)).toEqual(CAPABILITIES);
    expect((await book.of({ ...PRESET, model: 'big' }, never)).contextTokens).toBe(8_192);
  });

  it('does not keep a question waiting for an endpoint that is silent', async () => {
    const { book } = bookOf(endpoint('silence'));
    expect(await book.of(PRESET, never)).toEqual(UNKNOWN_CAPABILITIES);
    expect(await book.of(PRESET, AbortSignal.abort())).toEqual(UNKNOWN_CAPABILITIES);
    book.stop();
  });

  it('is corrected by what went wrong, with the newest twenty notes', async () => {
    const { book } = bookOf(endpoint(CAPABILITIES));
    await book.of(PRESET, never);
    for (let n = 0; n < 25; n += 1) await book.learn(PRESET, { contextTokens: n }, `note ${n}`);
    const capabilities = await book.of(PRESET, never);
    expect(capabilities).toMatchObject({ contextTokens: 24, nativeTools: true });
    expect(capabilities.notes).toEqual(Array.from({ length: 20 }, (_, n) => `note ${n + 5}`));
  });

  it('is known here when it cannot be kept, and the fault is told', async () => {
    const { book, errors } = bookOf(endpoint(CAPABILITIES), storeOf(new Map(), true));
    expect(await book.of(PRESET, never)).toEqual(CAPABILITIES);
    expect(errors).toMatchObject([{ message: 'the store is broken' }]);
  });

  describe('when the endpoint says what it serves', () => {
    const capabilitiesOf = (identity: string): ModelCapabilities => ({
      ...CAPABILITIES,
      identity,
      model: identity,
      contextTokens: identity.length,
      sampling: null,
    });
    /** An endpoint whose model can be swapped, and what was probed there. */
    function swappable() {
      const served = { now: 'small' };
      const probed: string[] = [];
      const capabilities = async (): Promise<ModelCapabilities> => {
        probed.push(served.now);
        return capabilitiesOf(served.now);
      };
      return { served, probed, broker: { capabilities, identity: async () => served.now } };
    }

    it('notices a model that was swapped at the next question, and says so', async () => {
      const { served, broker } = swappable();
      const { book } = bookOf(broker);
      expect((await book.of(PRESET, never)).model).toBe('small');
      served.now = 'a larger one';
      const capabilities = await book.of(PRESET, never);
      expect(capabilities).toMatchObject({ model: 'a larger one', contextTokens: 12 });
      expect(capabilities.notes).toEqual(['the endpoint serves a larger one now, before it was small']);
    });

    it('says that the template of a model was changed, and from which to which', async () => {
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
        'small has another template now: bbbbbbbb, before aaaaaaaa',
      ]);
    });

    it('knows a model that comes back, with what it learned, and probes it no second time', async () => {
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

    it('finds at its start what another process knew of the model that is there now', async () => {
      const kept = new Map<string, ModelCapabilities>();
      const { served, probed, broker } = swappable();
      for (const next of ['small', 'other', 'small']) {
        served.now = next;
        expect((await bookOf(broker, storeOf(kept)).book.of(PRESET, never)).model).toBe(next);
      }
      expect(probed).toEqual(['small', 'other']);
    });
  });

  describe('when a new probe is requested', () => {
    it('is what the endpoint says now', async () => {
      const { book } = bookOf(endpoint(CAPABILITIES, { ...CAPABILITIES, contextTokens: 8_192 }));
      await book.of(PRESET, never);
      expect((await book.probe(PRESET)).contextTokens).toBe(8_192);
      expect((await book.of(PRESET, never)).contextTokens).toBe(8_192);
    });

    it('fails when the endpoint does not answer, even if its capabilities were known', async () => {
      const { book } = bookOf(endpoint(CAPABILITIES, AWAY));
      await book.of(PRESET, never);
      await expect(book.probe(PRESET)).rejects.toBe(AWAY);
      expect(await book.of(PRESET, never)).toEqual(CAPABILITIES);
    });

    it('works again after it has failed', async () => {
      const { book } = bookOf(endpoint(AWAY, CAPABILITIES));
      await expect(book.probe(PRESET)).rejects.toBe(AWAY);
      expect(await book.probe(PRESET)).toEqual(CAPABILITIES);
    });
  });
});
