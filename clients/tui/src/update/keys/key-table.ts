import type { KeyMap } from '@aish/views/key-actions';
import type { Binding } from '../../model.js';
import { ANYWHERE_KEYS } from './anywhere.keys.js';
import { EDIT_KEYS } from './edit.keys.js';
import { HALT_KEYS } from './halt.keys.js';
import { LIST_KEYS } from './list.keys.js';
import { MENU_KEYS } from './menu.keys.js';
import { OVERLAY_KEYS } from './overlay.keys.js';
import { PROMPT_KEYS } from './prompt.keys.js';
import { READING_KEYS } from './reading.keys.js';
import { ROW_KEYS } from './row.keys.js';
import { VIEW_KEYS } from './view.keys.js';

/** Every key once, in the order of the help. Each entry says what its key does and when the key is unavailable. */
export const KEYS: readonly Binding[] = [
  ...VIEW_KEYS,
  ...PROMPT_KEYS,
  ...LIST_KEYS,
  ...ROW_KEYS,
  ...MENU_KEYS,
  ...READING_KEYS,
  ...HALT_KEYS,
  ...ANYWHERE_KEYS,
  ...OVERLAY_KEYS,
  ...EDIT_KEYS,
];

/** Returns the table with configured keys instead of the defaults. */
export function keysWith(keyMap: KeyMap): readonly Binding[] {
  return KEYS.map((binding) => ({ ...binding, keys: keyMap[binding.action] ?? binding.keys }));
}
