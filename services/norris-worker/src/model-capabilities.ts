import { CapabilityStore, type Broker } from '@aish/broker';
import type { Preset } from '@aish/contracts/config/presets.settings';
import type { Database } from '@aish/database/client';
import { findCapabilities, saveCapabilities } from '@aish/database/capabilities.repository';

/**
 * What the models can do, as the api or an earlier worker found out, and as this one learns from what they refuse.
 * @param probes whether a model that nobody has probed is asked for a call. Where there are no tools its server is asked alone.
 */
export function modelCapabilities(
  db: Database,
  broker: Broker,
  probes: boolean,
  onError: (error: unknown) => void,
): CapabilityStore {
  const capabilityStore = {
    identity: (preset: Preset, signal: AbortSignal) => broker.identity(preset, signal),
    capabilities: (preset: Preset, signal: AbortSignal, asksModel = probes) =>
      broker.capabilities(preset, signal, asksModel),
  };
  return new CapabilityStore(
    capabilityStore,
    {
      load: (baseUrl, model) => findCapabilities(db.statements, baseUrl, model),
      // What a server did not say is no finding to be kept for others.
      save: async (baseUrl, model, capabilities) => {
        if (capabilities.checkedAt !== null) await saveCapabilities(db.statements, baseUrl, model, capabilities);
      },
    },
    onError,
    undefined,
    !probes,
  );
}
