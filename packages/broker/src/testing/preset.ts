import type { Preset } from '@aish/contracts/config/presets.settings';

/** A preset whose endpoint never answers, because nothing listens there. */
export const PRESET: Preset = {
  name: 'fast',
  baseUrl: 'http://127.0.0.1:1',
  model: null,
  temperature: 0,
  maxTokens: 16,
  apiKey: null,
  connectTimeoutMs: 1,
  idleTimeoutMs: 1,
  totalTimeoutMs: 1,
};
