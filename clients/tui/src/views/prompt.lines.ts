import { activeGoals, type Model } from '../model.js';
import { placeOf } from '../keys/binding.js';
import { oneLine, showExact } from '@aish/views/sanitise';
import { splitCharacters, textWidth } from '@aish/views/text/width';

const MAX_SHARE = 3;
const LABEL_MAX_CHARS = 30;

export interface PromptLayout {
  /** The typed text, wrapped into rows. */
  readonly rows: readonly string[];
  readonly cursor: { readonly row: number; readonly col: number };
}

/** Returns a label such as `[aish:fast ⚡]> `: the preset, and ⚡ while Norris is working on a goal. */
export function promptLabel(model: Model): string {
  const draft = draftLabel(model);
  if (draft !== null) return draft;
  const preset = model.chat.preset;
  const isDemo = model.models.some((each) => each.preset === preset && each.demo);
  const isActive = activeGoals(model).some(({ state }) => state !== 'paused');
  return `[aish:${isDemo ? 'demo' : preset}${isActive ? ' ⚡' : ''}]> `;
}

function draftLabel({ overlay }: Model): string | null {
  const draft = overlay?.type === 'halt' ? overlay.draft : null;
  if (draft?.type === 'edit') return 'instead: ';
  if (draft?.type === 'message') return 'note: ';
  if (draft?.type !== 'form') return null;
  const field = draft.fields[draft.at];
  return field === undefined ? null : `${oneLine(field.title).slice(0, LABEL_MAX_CHARS)}: `;
}

/** Returns the typed text as it may be shown. Hidden fields show marks. */
function promptText(model: Model): string {
  const { prompt, overlay } = model;
  const draft = overlay?.type === 'halt' ? overlay.draft : null;
  const isHidden = draft?.type === 'form' && draft.fields[draft.at]?.isHidden === true;
  return isHidden ? '•'.repeat(prompt.text.length) : prompt.text;
}

/** Returns the rows of the prompt, which are at most a third of the screen. */
export function promptRows(model: Model): number {
  const place = placeOf(model);
  if (model.prompt.text === '' || place === 'list' || place === 'search' || place === 'question' || place === 'menu')
    return 1;
  const most = Math.max(1, Math.floor(model.size.rows / MAX_SHARE));
  return Math.min(most, promptLayout(model).rows.length);
}

/** Wraps the typed text beside the label. */
export function promptLayout(model: Model): PromptLayout {
  const { cursor } = model.prompt;
  const text = promptText(model);
  const room = Math.max(4, model.size.cols - textWidth(promptLabel(model)) - 1);
  const rows: string[] = [''];
  let col = 0;
  let at = { row: 0, col: 0 };
  let index = 0;
  for (const unit of unitsOf(text)) {
    if (index === cursor) at = { row: rows.length - 1, col };
    if (unit === '\n') {
      rows.push('');
      col = 0;
    } else {
      const shown = showExact(unit);
      const width = textWidth(shown);
      if (col + width > room) {
        rows.push('');
        col = 0;
        if (index === cursor) at = { row: rows.length - 1, col };
      }
      rows[rows.length - 1] += shown;
      col += width;
    }
    index += unit.length;
  }
  if (index === cursor) at = { row: rows.length - 1, col };
  return { rows, cursor: at };
}

/** Returns characters with their combining characters. A line break is a character of its own. */
function unitsOf(text: string): readonly string[] {
  return text.split('\n').flatMap((line, index) => [...(index === 0 ? [] : ['\n']), ...splitCharacters(line)]);
}
