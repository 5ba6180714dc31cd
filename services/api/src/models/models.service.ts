import type { Broker } from '@aish/broker';
import type { Model, Preset } from '@aish/contracts';

const PROBE_TIMEOUT_MS = 5_000;

export class ModelsService {
  constructor(
    private readonly broker: Broker,
    private readonly presets: readonly Preset[],
  ) {}

  /** Every preset and whether its endpoint is ready; all are asked side by side. */
  list(): Promise<Model[]> {
    return Promise.all(this.presets.map((preset) => this.broker.models(preset, AbortSignal.timeout(PROBE_TIMEOUT_MS))));
  }
}
