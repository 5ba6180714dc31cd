import { Model } from '@aish/contracts/models';
import type { Transport } from './transport.js';

/** A model on a slow machine is asked several things. */
const TIMEOUT_MS = 120_000;

/** Has the server find out anew what the model of a preset can do. */
export function probeModel(http: Transport, preset: string, signal?: AbortSignal): Promise<Model> {
  const path = `/v1/models/${encodeURIComponent(preset)}/probe`;
  return http.json(Model, { method: 'POST', path, timeoutMs: TIMEOUT_MS }, signal);
}
