import { Injectable } from '@nestjs/common';
import { collectAnswer, type Broker } from '@aish/broker';
import type { Preset } from '@aish/contracts/config/presets.settings';
import { SENTENCES_PROMPT, findingsAsText, withSentences, type Finding } from '@aish/lab';
import { tidy } from '@aish/prompt';
import { Part } from '../part.js';

/** A brief does not wait longer for words than for hosts by much. */
const MODEL_TIMEOUT_MS = 20_000;

/** Has a model say what is wrong in its own words. aish checks them, and does without where none come in time. */
@Injectable()
export class BriefWriter {
  constructor(
    @Part('broker') private readonly broker: Broker,
    @Part('presets') private readonly presets: readonly Preset[],
  ) {}

  /** The lines of a brief, in the words of the model where they name their facts. @throws what aborted `signal` */
  async inWords(plain: readonly string[], found: readonly Finding[], signal: AbortSignal): Promise<readonly string[]> {
    const open = found.filter(({ muted }) => !muted);
    const [preset] = this.presets;
    if (open.length === 0 || preset === undefined) return plain;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(MODEL_TIMEOUT_MS)]);
    const messages = [
      { role: 'system' as const, content: SENTENCES_PROMPT },
      { role: 'user' as const, content: findingsAsText(open) },
    ];
    try {
      const { text, finishReason } = await collectAnswer(this.broker.chat({ preset, messages }, limit));
      return finishReason === 'stop' ? withSentences(plain, open, tidy(text, () => false).text) : plain;
    } catch {
      signal.throwIfAborted();
      // Without a model there is the plain brief, as on any day on which it is off.
      return plain;
    }
  }
}
