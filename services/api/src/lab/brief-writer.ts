import { Injectable } from '@nestjs/common';
import { collectAnswer, type Broker } from '@aish/broker';
import type { Preset } from '@aish/contracts/config/presets.settings';
import { SENTENCES_PROMPT, checkedSentences, findingsAsText, type Finding } from '@aish/lab';
import { tidy } from '@aish/prompt';
import { Part } from '../part.js';

/** In milliseconds. It is short because a person waits for the brief, and the hosts already take up to 10 s. */
const MODEL_TIMEOUT_MS = 20_000;

/** Asks a model to describe the faults in its own words, and checks its answer. */
@Injectable()
export class BriefWriter {
  constructor(
    @Part('broker') private readonly broker: Broker,
    @Part('presets') private readonly presets: readonly Preset[],
  ) {}

  /**
   * Returns the model's sentences, or an empty list if no model answers in time. @throws the reason with which `signal`
   * aborted
   */
  async sentences(found: readonly Finding[], signal: AbortSignal): Promise<readonly string[]> {
    const open = found.filter(({ muted }) => !muted);
    const [preset] = this.presets;
    if (open.length === 0 || preset === undefined) return [];
    const limit = AbortSignal.any([signal, AbortSignal.timeout(MODEL_TIMEOUT_MS)]);
    const messages = [
      { role: 'system' as const, content: SENTENCES_PROMPT },
      { role: 'user' as const, content: findingsAsText(open) },
    ];
    try {
      const { text, finishReason } = await collectAnswer(this.broker.chat({ preset, messages }, limit));
      return finishReason === 'stop' ? checkedSentences(tidy(text, () => false).text, open) : [];
    } catch {
      signal.throwIfAborted();
      // The brief also works without a model's sentences.
      return [];
    }
  }
}
