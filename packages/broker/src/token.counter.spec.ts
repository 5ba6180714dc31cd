import { Presets, presetNamed, presetsOf, type Preset } from '@aish/contracts/config/presets.settings';
import { UNKNOWN_CAPABILITIES, type ModelCapabilities } from '@aish/contracts/models';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Broker } from './broker.port.js';
import { TokenCounter, estimateTokens } from './token.counter.js';

const PRESET = presetNamed(presetsOf(Presets.parse({})), 'fast');
const COUNTS: ModelCapabilities = { ...UNKNOWN_CAPABILITIES, countsTokens: true };
const signal = new AbortController().signal;

/** Returns an endpoint that counts one token per word, and returns null after `most` texts. */
function counting(most = Number.POSITIVE_INFINITY): Pick<Broker, 'countTokens'> {
  let counted = 0;
  const countTokens = async (_preset: Preset, text: string): Promise<number | null> => {
    counted += 1;
    return counted > most ? null : text.split(' ').length;
  };
  return { countTokens };
}

describe('an estimate of tokens', () => {
  it('an estimate of tokens adds a reserve to the measured count', () => {
    const measured = { ...UNKNOWN_CAPABILITIES, charsPerToken: 4 };
    expect(estimateTokens('x'.repeat(4_000), measured)).toBeGreaterThan(1_000 + 100);
    expect(estimateTokens('', UNKNOWN_CAPABILITIES)).toBe(8);
  });

  it('an estimate of tokens never shrinks when a text grows', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, more) => {
        expect(estimateTokens(text + more, UNKNOWN_CAPABILITIES)).toBeGreaterThanOrEqual(
          estimateTokens(text, UNKNOWN_CAPABILITIES),
        );
      }),
    );
  });
});

describe('tokens of texts', () => {
  it('the number of tokens is an estimate until the endpoint has counted', async () => {
    const counter = new TokenCounter(counting());
    expect(counter.of(PRESET, 'three words here', COUNTS)).toBe(estimateTokens('three words here', COUNTS));
    await counter.count(PRESET, ['three words here', 'one', 'one', ''], COUNTS, signal);
    expect(counter.of(PRESET, 'three words here', COUNTS)).toBe(3 + 8);
    expect(counter.of(PRESET, 'one', COUNTS)).toBe(1 + 8);
  });

  it('counts of tokens are kept per endpoint and model', async () => {
    const counter = new TokenCounter(counting());
    await counter.count(PRESET, ['a b c'], COUNTS, signal);
    const other = { ...PRESET, model: 'other' };
    expect(counter.of(other, 'a b c', COUNTS)).toBe(estimateTokens('a b c', COUNTS));
  });

  it.each([null, false])(
    'the number of tokens is an estimate if the endpoint does not count: %s',
    async (countsTokens) => {
      const counter = new TokenCounter(counting());
      const capabilities = { ...UNKNOWN_CAPABILITIES, countsTokens };
      await counter.count(PRESET, ['a b c'], capabilities, signal);
      expect(counter.of(PRESET, 'a b c', capabilities)).toBe(estimateTokens('a b c', capabilities));
    },
  );

  it('the number of tokens stays an estimate after the endpoint stops counting', async () => {
    const counter = new TokenCounter(counting(2));
    const texts = Array.from({ length: 6 }, (_, n) => 'longish '.repeat(n + 1).trim());
    await counter.count(PRESET, texts, COUNTS, signal);
    const counted = texts.filter((text) => counter.of(PRESET, text, COUNTS) !== estimateTokens(text, COUNTS));
    expect(counted).toHaveLength(2);
  });

  it('two texts that differ in any character have separate counts', async () => {
    const counter = new TokenCounter(counting());
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), async (one, other) => {
        await counter.count(PRESET, [one, other], COUNTS, signal);
        expect(counter.of(PRESET, one, COUNTS)).toBe(one.split(' ').length + 8);
        expect(counter.of(PRESET, other, COUNTS)).toBe(other.split(' ').length + 8);
      }),
    );
  });
});
