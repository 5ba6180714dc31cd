import type { Action } from '@aish/views/key-actions';
import { isChosen } from '@aish/views/form/fields';
import type { Binding, HaltDialog, Model, Place } from '../model.js';

/** Returns the place that decides which keys work now. */
export function placeOf(model: Model): Place {
  switch (model.overlay?.type) {
    case 'halt':
      return placeInDialog(model.overlay);
    case 'grants':
      return 'grants';
    case 'menu':
      return 'menu';
    case 'question':
      return 'question';
    case 'page':
      return model.search?.kind === 'page' ? 'search' : 'page';
    case undefined:
      break;
  }
  if (model.search !== null) return 'search';
  if (model.view !== 'chat' && !model.isPromptOpen) return 'list';
  return model.prompt.text === '' ? 'empty prompt' : 'typing';
}

function placeInDialog({ draft }: HaltDialog): Place {
  switch (draft?.type) {
    case undefined:
      return 'HALT';
    case 'grant':
      return 'HALT grant';
    case 'edit':
    case 'message':
      return 'HALT edit';
    case 'form': {
      const field = draft.fields[draft.at];
      return field === undefined || isChosen(field) ? 'HALT choice' : 'HALT edit';
    }
  }
}

/** Returns the binding of a key in the current place. */
export function bindingFor(model: Model, key: string): Binding | undefined {
  const place = placeOf(model);
  const name = model.hasPrefix ? `ctrl-x ${key}` : key;
  return model.keys.find(({ places, keys }) => places.includes(place) && keys.includes(name));
}

/** Returns the label of an action's first key, or '' if the action has none. */
export function labelOf({ keys }: Pick<Model, 'keys'>, action: Action): string {
  const name = keys.find((binding) => binding.action === action)?.keys[0];
  return name === undefined ? '' : keyLabel(name);
}

/** Returns a key as people write it: `ctrl-x ctrl-c` becomes `Ctrl-X Ctrl-C`. */
export function keyLabel(key: string): string {
  const named: Readonly<Record<string, string>> = {
    pageup: 'PgUp',
    pagedown: 'PgDn',
    escape: 'Esc',
    up: '↑',
    down: '↓',
  };
  return key
    .split(' ')
    .map((part) => named[part] ?? (part.length === 1 ? part : part.replaceAll(/(^|-)[a-z]/g, (at) => at.toUpperCase())))
    .join(' ');
}

/** The note beside a key that is held back. */
export const HELD_NOTE = 'in a moment; any other key cancels';

/** Returns the action of the key that is held back, or null. */
export function heldAction(model: Model): Action | null {
  const { held } = model;
  return held === null || held.isEarly ? null : (bindingFor(model, held.key)?.action ?? null);
}
