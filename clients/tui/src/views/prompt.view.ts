import type { Action } from '@aish/views/key-actions';
import { keyLabel, placeOf } from '../keys/binding.js';
import { hasEnded } from '@aish/views/goal.state';
import { chosenGoal, type Model } from '../model.js';
import { span, type Line, type Span } from '@aish/views/line';
import { fit, lineWidth } from '@aish/views/text/fit';
import { findInHistory } from '../history.js';
import { oneLine, showExact } from '@aish/views/sanitise';
import { textWidth } from '@aish/views/text/width';
import { promptLabel, promptLayout, promptRows } from './prompt.lines.js';
import type { ViewId } from '../view-id.js';
import type { Completion } from '../view-state.js';

export interface PromptView {
  readonly lines: readonly Line[];
  /** The position of the cursor, or null if nothing can be typed here. */
  readonly cursor: { readonly row: number; readonly col: number } | null;
}

const PLACEHOLDER = 'write a message, or : for commands';

/** Returns the prompt, or the element that replaces it: a question, a search, or the keys of a list. */
export function promptView(model: Model): PromptView {
  const { cols } = model.size;
  const { overlay } = model;
  const place = placeOf(model);
  if (overlay?.type === 'question') {
    const text = oneLine(overlay.text);
    return oneLinePrompt([span(`${text} `, 'warn')], cols, true);
  }
  if (overlay?.type === 'menu') {
    return oneLinePrompt([span('do: ', 'accent'), span(showExact(overlay.filter))], cols, true);
  }
  if (place === 'search') return oneLinePrompt(searchLine(model), cols, true);
  if (place === 'list') return oneLinePrompt(hints(model), cols, false);
  const label = span(promptLabel(model), 'accent');
  const { text } = model.prompt;
  const isOpen = overlay === null || place === 'HALT edit';
  if (text === '') {
    const line = fit([label, span(overlay === null ? PLACEHOLDER : '', 'dim')], cols);
    return { lines: [line], cursor: isOpen ? { row: 0, col: Math.min(textWidth(label.text), cols - 1) } : null };
  }
  const layout = promptLayout(model);
  const rows = promptRows(model);
  const top = Math.min(Math.max(0, layout.cursor.row - rows + 1), Math.max(0, layout.rows.length - rows));
  const indent = ' '.repeat(textWidth(label.text));
  const lines = layout.rows
    .slice(top, top + rows)
    .map((row, index) => fit([index + top === 0 ? label : span(indent), span(row)], cols));
  const cursor = { row: layout.cursor.row - top, col: Math.min(textWidth(label.text) + layout.cursor.col, cols - 1) };
  return { lines, cursor: isOpen ? cursor : null };
}

function oneLinePrompt(content: Line, cols: number, hasCursor: boolean): PromptView {
  const cursor = hasCursor ? { row: 0, col: Math.min(lineWidth(content), cols - 1) } : null;
  return { lines: [fit(content, cols)], cursor };
}

function searchLine({ search, history }: Model): Line {
  if (search?.kind !== 'history') {
    const label = search?.kind === 'filter' ? 'filter: ' : 'find: ';
    return [span(label, 'accent'), span(showExact(search?.text ?? ''))];
  }
  const found = findInHistory(history.entries, search.text)[search.hit] ?? '';
  return [span(`${oneLine(found)}  `, 'dim'), span('history: ', 'accent'), span(showExact(search.text))];
}

type Hint = readonly [action: Action, does: string, when?: (model: Model) => boolean];

const canPause = (model: Model): boolean => ['queued', 'running', 'waiting'].includes(chosenGoal(model)?.state ?? '');
const canGoOn = (model: Model): boolean => {
  const state = chosenGoal(model)?.state;
  return state !== undefined && state !== 'done' && (state === 'paused' || hasEnded(state));
};
const hasLinks = ({ panes }: Model): boolean => (panes.knowledge.detail?.links?.length ?? 0) > 0;
const isBackable = ({ panes }: Model): boolean => panes.knowledge.trail.length > 0;

const HINTS: Readonly<Partial<Record<ViewId, readonly Hint[]>>> = {
  goals: [
    ['newGoal', 'new goal'],
    ['openDecision', 'decide'],
    ['interrupt', 'pause', canPause],
    ['resumeRow', 'continue', canGoOn],
    ['openPrompt', 'command'],
    ['filter', 'find'],
    ['openGrants', 'granted'],
    ['toggleFold', 'unfold'],
  ],
  decisions: [['openRow', 'answer']],
  memory: [
    ['acceptRow', 'remember'],
    ['removeRow', 'reject'],
    ['editRow', 'edit'],
    ['filter', 'filter'],
    ['copyRow', 'copy'],
  ],
  knowledge: [
    ['filter', 'search'],
    ['openRow', 'follow', hasLinks],
    ['nextLink', 'next link', hasLinks],
    ['linkBack', 'back', isBackable],
    ['copyRow', 'copy'],
  ],
  help: [['closePage', 'back']],
  sessions: [
    ['openRow', 'continue it'],
    ['filter', 'search'],
  ],
};

/** Returns as many keys of a list as fit, with the most used ones first. */
function hints(model: Model): Line {
  const own = (HINTS[model.view] ?? []).filter(([, , when]) => when?.(model) ?? true);
  const rest: readonly Hint[] = [
    ['openPrompt', 'command'],
    ['nextView', 'next view'],
    ['quit', 'quit'],
  ];
  const shown: Span[] = [];
  for (const [action, does] of [...own, ...rest.filter(([action]) => own.every((hint) => hint[0] !== action))]) {
    const hint = hintOf(model, action, does);
    // Only whole hints are shown, because a truncated hint is useless.
    if (lineWidth([...shown, ...hint]) - 1 <= model.size.cols) shown.push(...hint);
  }
  return shown;
}

function hintOf(model: Model, action: Action, does: string): Line {
  const binding = model.keys.find((each) => each.action === action && each.places.includes('list'));
  if (binding === undefined || binding.unavailable?.(model) !== undefined) return [];
  const [key = ''] = binding.keys;
  return [span(` ${keyLabel(key)}`, 'accent'), span(` ${does}  `, 'dim')];
}

const COMPLETION_ROWS = 8;

/** Returns possible completions, just above the prompt. */
export function completionView({ items, chosen }: Completion, { size }: Model): readonly Line[] {
  const width = Math.min(30, Math.max(...items.map(({ text }) => text.length)));
  const top = Math.min(Math.max(0, chosen - COMPLETION_ROWS + 1), Math.max(0, items.length - COMPLETION_ROWS));
  return items.slice(top, top + COMPLETION_ROWS).map(({ text, about }, index) => {
    const isChosen = top + index === chosen;
    const row: Line = [
      span(isChosen ? ' ▸ ' : '   ', 'accent'),
      span(fitText(text, width), isChosen ? 'selected' : 'bold'),
      span(`  ${oneLine(about)}`, 'dim'),
    ];
    return fit(row, size.cols);
  });
}

function fitText(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width);
}
