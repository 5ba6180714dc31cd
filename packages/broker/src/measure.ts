import type { Preset } from '@aish/contracts/config/presets.settings';
import { isAishError } from '@aish/contracts/problems';
import { measured } from '@aish/telemetry';
import type { ChatChunk } from './broker.port.js';

/**
 * Measures one answer: time to the first token, time per token, tokens, and how it ended. Names follow OpenTelemetry's
 * conventions for generative AI. The measurement is not a stage of the stream, because each stage costs time per token.
 */
export class Measurement {
  private readonly labels: Readonly<Record<string, string>>;
  private readonly began = performance.now();
  private first: number | null = null;
  private outcome = 'abandoned';

  constructor(preset: Preset) {
    this.labels = { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'llama.cpp', preset: preset.name };
  }

  /** Call this for every chunk. */
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

  /**
   * Call this once, however the answer ended. Nothing is recorded before, because a person waits for the first token.
   */
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
