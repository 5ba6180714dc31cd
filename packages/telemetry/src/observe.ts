import { metrics } from '@opentelemetry/api';
import type { Labels } from './instruments.js';

export interface Observed {
  readonly value: number;
  readonly labels?: Labels;
}

/**
 * A gauge that is read when somebody looks. What `read` throws leaves the gauge out of that answer and goes to
 * `onError`; the other metrics are given all the same.
 */
export function observe(
  name: string,
  description: string,
  read: () => Promise<readonly Observed[]> | readonly Observed[],
  onError: (error: unknown) => void,
): void {
  metrics
    .getMeter('aish')
    .createObservableGauge(name, { description })
    .addCallback(async (result) => {
      try {
        for (const { value, labels } of await read()) result.observe(value, labels);
      } catch (error) {
        onError(error);
      }
    });
}
