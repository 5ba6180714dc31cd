import { bindingFor, keyLabel, placeOf } from '../keys/binding.js';
import { DEAF_MS } from '@aish/views/verdict-line';
import { just, type Model, type Update } from '../model.js';
import { haltDialog } from './decisions.update.js';
import { changeChoice } from './draft.update.js';
import { withFlash } from './flash.js';
import { forgetInterrupt } from './keys/anywhere.keys.js';
import {
  disarmed,
  holdKey,
  mustStandAlone,
  releaseHeld,
  standAlone,
  stray,
  typeInList,
  typeOn,
} from './lone-key.update.js';
import { typeMenu } from './menu.update.js';
import { typed } from './prompt.update.js';
import { typeSearch } from './search.update.js';

/** Nobody presses these keys while typing text. */
const NO_TEXT = /^(?:ctrl-|alt-|f\d)/;

export function pressKey(pressed: Model, key: string, text: string | null): Update {
  const model = bindingFor(pressed, key)?.action === 'interrupt' ? pressed : forgetInterrupt(pressed);
  if (text !== null && mustStandAlone(model, key)) return holdKey(model, key, text);
  const free = releaseHeld(model);
  const dialog = haltDialog(free);
  if (dialog !== null && model.nowMs < dialog.deafUntilMs && !NO_TEXT.test(key)) {
    // A person who keeps typing has not seen the dialog yet.
    const trouble = `${keyLabel(key)} came too soon: press it again`;
    return just({ ...free, overlay: { ...dialog, deafUntilMs: model.nowMs + DEAF_MS, trouble } });
  }
  return run(free, key, text);
}

/** Handles the pause after a key that was held back. */
export function releaseKey(model: Model, atMs: number): Update {
  const { model: free, key } = standAlone(model, atMs);
  return key === null ? just(free) : run(free, key, null);
}

function run(model: Model, key: string, text: string | null): Update {
  const binding = bindingFor(model, key);
  const plain = { ...(binding?.action === 'abort' ? model : disarmed(model)), hasPrefix: false };
  if (binding === undefined) return typeText(plain, model.hasPrefix ? null : text);
  const mayBeText = text !== null && ['page', 'list'].includes(placeOf(model));
  const next = mayBeText ? stray(plain, text) : plain;
  const whyNot = binding.unavailable?.(model);
  return whyNot === undefined ? binding.run(next) : just(withFlash(next, whyNot));
}

/** Handles pasted text, which goes only into the prompt and never answers a question. */
export function paste(pasted: Model, text: string): Update {
  const model = forgetInterrupt(pasted);
  const clean = text.replaceAll(/\r\n?/g, '\n');
  const place = placeOf(model);
  if (['HALT', 'HALT grant', 'question', 'page', 'list'].includes(place)) return just(typeOn(model, clean));
  if (place === 'search') return typeSearch(model, clean.replaceAll('\n', ' '));
  if (place !== 'empty prompt' && place !== 'typing' && place !== 'HALT edit') return just(releaseHeld(model));
  return just(typed(model, clean));
}

function typeText(model: Model, text: string | null): Update {
  switch (placeOf(model)) {
    case 'question':
      return just({ ...model, overlay: null });
    case 'search':
      return text === null ? just(model) : typeSearch(model, text);
    case 'menu':
      return text === null ? just(model) : typeMenu(model, text);
    case 'empty prompt':
    case 'typing':
    case 'HALT edit':
      return just(text === null ? model : typed(model, text));
    case 'HALT choice':
      return text !== null && /^[1-9]$/.test(text) ? changeChoice(model, { number: Number(text) }) : just(model);
    case 'HALT grant':
    case 'grants':
    case 'HALT':
      return just(model);
    case 'list':
      return just(text === null ? model : typeInList(model, text));
    case 'page':
      return just(text === null ? model : typeOn(model, text));
  }
}
