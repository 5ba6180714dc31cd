import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { CapabilityStore, type Broker } from '@aish/broker';
import type { Preset } from '@aish/contracts/config/presets.settings';
import type { Model } from '@aish/contracts/models';
import { AishError } from '@aish/contracts/problems';

const PROBE_TIMEOUT_MS = 5_000;

@Injectable()
export class ModelsService {
  constructor(
    @Part('broker') private readonly broker: Broker,
    @Part('capabilityStore') private readonly capabilityStore: CapabilityStore,
    @Part('presets') private readonly presets: readonly Preset[],
  ) {}

  /**
   * Returns every preset, with the state of its endpoint and its model's capabilities. All endpoints are probed in
   * parallel.
   */
  list(): Promise<Model[]> {
    return Promise.all(this.presets.map((preset) => this.describe(preset)));
  }

  /** Probes the model of a preset again. @throws AishError `not_found`; the errors of the endpoint */
  async probe(name: string): Promise<Model> {
    const preset = this.presets.find((each) => each.name === name);
    if (preset === undefined) throw new AishError('not_found', `There is no preset ${name}`);
    await this.capabilityStore.probe(preset);
    return this.describe(preset);
  }

  private async describe(preset: Preset): Promise<Model> {
    const [model, capabilities] = await Promise.all([
      this.broker.models(preset, AbortSignal.timeout(PROBE_TIMEOUT_MS)),
      this.capabilityStore.known(preset),
    ]);
    return { ...model, capabilities, fallback: preset.fallback ?? null };
  }
}
