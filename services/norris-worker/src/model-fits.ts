import { FitBook, type Broker } from '@aish/broker';
import type { Preset } from '@aish/contracts/config/presets.settings';
import type { Database } from '@aish/database/client';
import { findFit, saveFit } from '@aish/database/fits.repository';

/**
 * What the models can do, as the api or an earlier worker found out, and as this one learns from what they refuse.
 * @param probes whether a model that nobody has probed is asked for a call. Where there are no tools its server is asked alone.
 */
export function modelFits(db: Database, broker: Broker, probes: boolean, onError: (error: unknown) => void): FitBook {
  const fits = {
    identity: (preset: Preset, signal: AbortSignal) => broker.identity(preset, signal),
    fit: (preset: Preset, signal: AbortSignal, asksModel = probes) => broker.fit(preset, signal, asksModel),
  };
  return new FitBook(
    fits,
    {
      load: (baseUrl, model) => findFit(db.statements, baseUrl, model),
      // What a server did not say is no finding to be kept for others.
      save: async (baseUrl, model, fit) => {
        if (fit.checkedAt !== null) await saveFit(db.statements, baseUrl, model, fit);
      },
    },
    onError,
    undefined,
    !probes,
  );
}
