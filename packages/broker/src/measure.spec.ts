import { AishError } from '@aish/contracts/problems';
import { startTelemetry } from '@aish/telemetry';
import { describe, expect, it } from '@jest/globals';
import type { ChatChunk } from './broker.port.js';
import { Measurement } from './measure.js';
import { PRESET } from './testing/preset.js';

const end: ChatChunk = {
  type: 'end',
  finishReason: 'stop',
  model: 'm',
  usage: { promptTokens: 10, cachedTokens: 0, completionTokens: 3, promptMs: 1, completionMs: 1 },
};

function watch(...chunks: (ChatChunk | Error)[]): void {
  const measurement = new Measurement(PRESET);
  for (const chunk of chunks) {
    if (chunk instanceof Error) measurement.failed(chunk);
    else measurement.saw(chunk);
  }
  measurement.end();
}

describe('Measurement', () => {
  it('Measurement counts an answer, however it ends', async () => {
    const telemetry = await startTelemetry({ service: 'test', version: '1' });
    try {
      watch({ type: 'text', text: 'a' }, { type: 'text', text: 'secret words' }, end);
      watch(new AishError('model_timeout', 'too slow'));
      watch({ type: 'text', text: 'a' });

      const text = await telemetry.prometheus();
      const calls = (outcome: string) => new RegExp(`operation_duration_count\\{[^}]*outcome="${outcome}"[^}]*\\} 1`);
      for (const outcome of ['stop', 'model_timeout', 'abandoned']) expect(text).toMatch(calls(outcome));
      expect(text).toMatch(/time_to_first_token_count\{[^}]*preset="fast"[^}]*\} 2/);
      expect(text).toMatch(/token_usage_sum\{[^}]*gen_ai_token_type="input"[^}]*\} 10/);
      expect(text).toMatch(/time_per_output_token_count\{[^}]*\} 1/);
      expect(text).not.toContain('secret');
    } finally {
      await telemetry.shutdown();
    }
  });
});
