import type { Preset } from '@aish/contracts/config/presets.settings';
import type { ModelCapabilities } from '@aish/contracts/models';
import { isAishError } from '@aish/contracts/problems';
import { z } from 'zod';
import type { Broker } from './broker.port.js';
import { exchangeJson } from './json.exchange.js';

/** The assumed characters per token if nothing was measured. */
const CHARS_PER_TOKEN = 3;
/** The safety margin of estimates. */
const MARGIN = 1.15;
const KEPT = 20_000;
const AT_ONCE = 4;
const TIMEOUT_MS = 3_000;
const Tokens = z.looseObject({ tokens: z.array(z.unknown()) });

/** Returns a cautious estimate of the number of tokens in a text. */
export function estimateTokens(text: string, capabilities: ModelCapabilities): number {
  const perToken = capabilities.charsPerToken === null ? CHARS_PER_TOKEN : capabilities.charsPerToken / MARGIN;
  return Math.ceil(text.length / perToken) + 8;
}

/** Stores token counts of texts from the endpoint. It asks about each text once. */
export class TokenCounter {
  private readonly known = new Map<string, number>();

  constructor(private readonly broker: Pick<Broker, 'countTokens'>) {}

  /** Returns the counted or estimated number, without asking the endpoint. */
  of(preset: Preset, text: string, capabilities: ModelCapabilities): number {
    // Most endpoints were never asked, and computing a key reads every character.
    const counted = this.known.size === 0 ? undefined : this.known.get(keyOf(preset, text));
    return counted ?? estimateTokens(text, capabilities);
  }

  /** Lets the endpoint count texts that it has not counted yet. If it cannot, their estimates stay. */
  async count(
    preset: Preset,
    texts: readonly string[],
    capabilities: ModelCapabilities,
    signal: AbortSignal,
  ): Promise<void> {
    if (capabilities.countsTokens !== true) return;
    const open = [...new Set(texts)].filter((text) => text !== '' && !this.known.has(keyOf(preset, text)));
    const next = open.values();
    const work = async (): Promise<void> => {
      for (const text of next) {
        const count = await this.broker.countTokens(preset, text, signal);
        if (count === null) return;
        // The template adds a role and two markers to each message.
        this.known.set(keyOf(preset, text), count + 8);
        const oldest = this.known.keys().next();
        if (this.known.size > KEPT && oldest.done !== true) this.known.delete(oldest.value);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }
}

/** Implements `Broker.countTokens`. */
export async function countTokens(preset: Preset, text: string, signal: AbortSignal): Promise<number | null> {
  const body = { ...(preset.model === null ? {} : { model: preset.model }), content: text };
  try {
    const answer = await exchangeJson(preset, { method: 'POST', path: '/tokenize', body }, TIMEOUT_MS, signal);
    return Tokens.safeParse(answer).data?.tokens.length ?? null;
  } catch (error) {
    // The endpoint is not llama.cpp, or busy. The caller then estimates.
    if (signal.aborted || !isAishError(error) || error.code === 'aborted') throw error;
    return null;
  }
}

/** Makes a key of the length and a 53-bit hash. Two texts of one session with the same key do not occur in practice. */
function keyOf(preset: Preset, text: string): string {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  return `${preset.baseUrl} ${preset.model ?? ''} ${text.length} ${a >>> 0} ${b >>> 0}`;
}
