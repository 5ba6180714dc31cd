import type { Model } from '../model.js';
import type { Style } from '@aish/views/line';

const FLASH_MS = 8_000;

/** Shows a short message to the person above the prompt for a while. */
export function withFlash(model: Model, text: string, style: Style = 'plain'): Model {
  return { ...model, flash: { text, style, untilMs: model.nowMs + FLASH_MS } };
}
