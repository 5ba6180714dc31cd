import { CapabilityStore, type Broker } from '@aish/broker';
import type { Preset } from '@aish/contracts/config/presets.settings';
import type { Database } from '@aish/database/client';
import { findCapabilities, saveCapabilities } from '@aish/database/capabilities.repository';

/**
 * Returns the capabilities of models, as the api or another worker stored them, and as this worker learns them from
 * refusals. @param probes whether to ask an unprobed model for a call. Without tools only its server is asked.
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
      // Capabilities that a server did not report are not stored.
      save: async (baseUrl, model, capabilities) => {
        if (capabilities.checkedAt !== null) await saveCapabilities(db.statements, baseUrl, model, capabilities);
      },
    },
    onError,
    undefined,
    !probes,
  );
}
