import { metrics, type Attributes, type Meter, type MeterProvider } from '@opentelemetry/api';

const INSTRUMENTATION = 'aish';

/** Labels of a value. They contain only names and codes, never texts, IDs or anything unbounded. */
export type Labels = Attributes;

export interface Measure {
  record(value: number, labels?: Labels): void;
}

export interface Count {
  add(value?: number, labels?: Labels): void;
}

/**
 * Returns an instrument of the current provider. Instruments created before startTelemetry would never count anything.
 */
function lazily<Instrument>(make: (meter: Meter) => Instrument): () => Instrument {
  let made: { readonly of: MeterProvider; readonly instrument: Instrument } | undefined;
  return () => {
    const provider = metrics.getMeterProvider();
    if (made?.of !== provider) made = { of: provider, instrument: make(provider.getMeter(INSTRUMENTATION)) };
    return made.instrument;
  };
}

function measure(name: string, unit: string, description: string, boundaries: readonly number[]): Measure {
  const advice = { explicitBucketBoundaries: [...boundaries] };
  const histogram = lazily((meter) => meter.createHistogram(name, { unit, description, advice }));
  return { record: (value, labels) => histogram().record(value, labels) };
}

function count(name: string, description: string): Count {
  const counter = lazily((meter) => meter.createCounter(name, { description }));
  return { add: (value = 1, labels) => counter().add(value, labels) };
}

const QUICK_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const LONG_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900];

/**
 * All instruments of aish. Model metrics have the names of OpenTelemetry's semantic conventions for generative AI
 * (`gen_ai.*`).
 */
export const measured = {
  modelCall: measure('gen_ai.client.operation.duration', 's', 'One call of a model', LONG_S),
  modelTokens: measure(
    'gen_ai.client.token.usage',
    '{token}',
    'Tokens of one call, by gen_ai.token.type',
    [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536],
  ),
  firstToken: measure('gen_ai.server.time_to_first_token', 's', 'From the request to the first token', LONG_S),
  perToken: measure('gen_ai.server.time_per_output_token', 's', 'Between one token and the next', QUICK_S),
  step: measure('aish.step.duration', 's', 'One step of a goal, whole', LONG_S),
  stepOverhead: measure('aish.step.overhead', 's', 'One step of a goal without model and commands', QUICK_S),
  command: measure('aish.command.duration', 's', 'One command in its container', LONG_S),
  toolCall: measure('aish.tool.duration', 's', 'One call of a tool', LONG_S),
  lockWait: measure('aish.lock.wait', 's', 'Wait for an advisory lock', QUICK_S),
  request: measure('http.server.request.duration', 's', 'One HTTP request', QUICK_S),
  errors: count('aish.errors', 'Answers with an error, by code'),
} as const;

export interface Observed {
  readonly value: number;
  readonly labels?: Labels;
}

/**
 * Adds a gauge that is read on demand. If `read` throws, only this gauge is missing in the response, and `onError` gets
 * the error.
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
