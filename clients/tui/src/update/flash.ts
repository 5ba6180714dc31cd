import type { Model } from '../model.js';
import type { Style } from '@aish/views/line';

const FLASH_MS = 8_000;

/** A short word to the person, shown above the prompt for a while. */
export function withFlash(model: Model, text: string, style: Style = 'plain'): Model {
  return { ...model, flash: { text, style, untilMs: model.nowMs + FLASH_MS } };
}
