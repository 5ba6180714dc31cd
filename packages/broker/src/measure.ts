import type { Preset } from '@aish/contracts/config/presets.settings';
import { isAishError } from '@aish/contracts/problems';
import { measured } from '@aish/telemetry';
import type { ChatChunk } from './broker.port.js';

/**
 * Counts one answer as it passes: time to the first token, time per token, tokens, and how it ended. Names follow
 * OpenTelemetry's conventions for generative AI. It looks on and is no stage of its own: each stage costs every token.
 */
export class Measurement {
  private readonly labels: Readonly<Record<string, string>>;
  private readonly began = performance.now();
  private first: number | null = null;
  private outcome = 'abandoned';

  constructor(preset: Preset) {
    this.labels = { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'llama.cpp', preset: preset.name };
  }

  /** To be told of every chunk. */
  saw(chunk: ChatChunk): void {
    if (this.first === null && (chunk.type === 'text' || chunk.type === 'reasoning' || chunk.type === 'toolCall')) {
      this.first = performance.now();
    }
    if (chunk.type === 'end') {
      this.outcome = chunk.finishReason;
      count(chunk, this.first, this.labels);
    }
  }

  failed(error: unknown): void {
    this.outcome = isAishError(error) ? error.code : 'internal';
  }

  /** Once, however it ended; what was measured is recorded only now, for a person waits for the first token. */
  end(): void {
    if (this.first !== null) measured.firstToken.record((this.first - this.began) / 1000, this.labels);
    measured.modelCall.record((performance.now() - this.began) / 1000, { ...this.labels, outcome: this.outcome });
  }
}

function count(
  { usage }: Extract<ChatChunk, { type: 'end' }>,
  first: number | null,
  labels: Readonly<Record<string, string>>,
): void {
  const { promptTokens, completionTokens } = usage;
  if (promptTokens !== null) measured.modelTokens.record(promptTokens, { ...labels, 'gen_ai.token.type': 'input' });
  if (completionTokens === null) return;
  measured.modelTokens.record(completionTokens, { ...labels, 'gen_ai.token.type': 'output' });
  if (first !== null && completionTokens > 1) {
    measured.perToken.record((performance.now() - first) / 1000 / (completionTokens - 1), labels);
  }
}
