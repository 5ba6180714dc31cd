import type { Model } from '../model.js';
import { fit, span, type Line } from '../text/line.js';
import { showExact } from '../text/sanitise.js';
import { splitCharacters, textWidth } from '../text/width.js';

export interface PromptView {
  readonly line: Line;
  /** Column of the cursor; null when nothing can be typed here. */
  readonly cursor: number | null;
}

const PLACEHOLDER = 'type a goal and press Enter, or :help';

/** `[aish:fast ⚡]> `: the model that works, and whether Norris is at it. */
export function promptLabel(model: Model): string {
  const isRehearsal = model.models.some(({ preset, rehearsal }) => preset === 'fast' && rehearsal);
  const isActive = model.goals?.some(({ state }) => state === 'running') ?? false;
  return `[aish:${isRehearsal ? 'rehearsal' : 'fast'}${isActive ? ' ⚡' : ''}]> `;
}

/** The prompt, or the question that stands in its place. */
export function promptView(model: Model): PromptView {
  const { cols } = model.size;
  if (model.overlay?.type === 'cancel') {
    const question = `cancel goal ${model.overlay.number}? y/N `;
    return { line: fit([span(question, 'warn')], cols), cursor: Math.min(question.length, cols - 1) };
  }
  const label = span(promptLabel(model), 'accent');
  const { text, cursor } = model.prompt;
  const isOpen = model.overlay === null;
  if (text === '') {
    const hint = isOpen ? PLACEHOLDER : '';
    return {
      line: fit([label, span(hint, 'dim')], cols),
      cursor: isOpen ? Math.min(textWidth(label.text), cols - 1) : null,
    };
  }
  const room = Math.max(1, cols - textWidth(label.text) - 1);
  const { shown, column } = inSight(text, cursor, room);
  return {
    line: fit([label, span(shown)], cols),
    cursor: isOpen ? Math.min(textWidth(label.text) + column, cols - 1) : null,
  };
}

/** The part of a long text around its cursor; line breaks are drawn as a sign. */
function inSight(text: string, cursor: number, room: number): { readonly shown: string; readonly column: number } {
  const before = splitCharacters(drawn(text.slice(0, cursor)));
  let column = 0;
  let start = before.length;
  while (start > 0 && column + textWidth(before[start - 1] ?? '') <= room) {
    start -= 1;
    column += textWidth(before[start] ?? '');
  }
  let shown = before.slice(start).join('');
  let left = room - column;
  for (const unit of splitCharacters(drawn(text.slice(cursor)))) {
    left -= textWidth(unit);
    if (left < 0) break;
    shown += unit;
  }
  return { shown, column };
}

function drawn(text: string): string {
  return showExact(text).replaceAll('\n', '⏎');
}
