import { UNKNOWN_FIT } from '@aish/contracts/models';
import { FitBook, type Broker } from '@aish/broker';
import type { Database } from '@aish/database/client';
import { findFit, saveFit } from '@aish/database/fits.repository';

/**
 * What the models can do, as the api or an earlier worker found out, and as this one learns from what they refuse.
 * @param probes whether a model that nobody has probed is. Else only one of a server that says what it serves.
 */
export function modelFits(db: Database, broker: Broker, probes: boolean, onError: (error: unknown) => void): FitBook {
  const quiet: Broker = {
    chat: (request, signal) => broker.chat(request, signal),
    connectAhead: (preset) => broker.connectAhead(preset),
    models: (preset, signal) => broker.models(preset, signal),
    countTokens: (preset, text, signal) => broker.countTokens(preset, text, signal),
    identity: (preset, signal) => broker.identity(preset, signal),
    fit: async (preset, signal) => {
      const isKnown = probes || (await broker.identity(preset, signal)) !== null;
      return isKnown ? broker.fit(preset, signal) : UNKNOWN_FIT;
    },
  };
  return new FitBook(
    quiet,
    {
      load: (baseUrl, model) => findFit(db.statements, baseUrl, model),
      // What was never probed is no finding to be kept for others.
      save: async (baseUrl, model, fit) => {
        if (fit.checkedAt !== UNKNOWN_FIT.checkedAt) await saveFit(db.statements, baseUrl, model, fit);
      },
    },
    onError,
  );
}
