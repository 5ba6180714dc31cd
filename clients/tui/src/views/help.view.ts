import { KEYS, keyLabel, type Place } from '../keys/keys.js';
import { META_COMMANDS } from '../keys/meta-commands.js';
import type { Model } from '../model.js';
import { fit, line, span, type Line } from '../text/line.js';
import { layoutOf } from './layout.js';

const LABEL_COLS = 18;

/** Keys and commands, made of the tables that carry them out. */
export function helpLines(model: Model): readonly Line[] {
  if (model.overlay?.type === 'help' && model.overlay.answer !== undefined) return model.overlay.answer.lines;
  const keys = KEYS.flatMap(({ keys: names, places, does }) =>
    does === null ? [] : [row(names.map(keyLabel).join(' '), `${does}${placeNote(places)}`)],
  );
  return [
    line('KEYS', 'accent'),
    ...keys,
    line(''),
    line('COMMANDS', 'accent'),
    ...META_COMMANDS.map(({ usage, does }) => row(usage, does)),
    line(''),
    line('Goals go on without you: quit whenever you like, and see `aish show 4` for the story of goal 4.', 'dim'),
  ];
}

/** The part of the help that is on the screen, title included. */
export function helpView(model: Model): readonly Line[] {
  const { cols, mainRows } = layoutOf(model);
  const top = model.overlay?.type === 'help' ? Math.min(model.overlay.top, helpMaxTop(model)) : 0;
  const more = helpMaxTop(model) > top ? ' · PgDn: more' : '';
  const lines = helpLines(model).slice(top, top + mainRows - 1);
  const title = model.overlay?.type === 'help' ? (model.overlay.answer?.title ?? 'HELP') : 'HELP';
  return [line(` ${title}  Esc closes it${more}`, 'bold'), ...lines].map((each) => fit([span(' '), ...each], cols));
}

export function helpMaxTop(model: Model): number {
  return Math.max(0, helpLines(model).length - (layoutOf(model).mainRows - 1));
}

function row(label: string, does: string): Line {
  return [span(`  ${label.padEnd(LABEL_COLS)} `, 'bold'), span(does)];
}

function placeNote(places: readonly Place[]): string {
  if (places.length !== 1) return '';
  if (places[0] === 'HALT') return ' (at a HALT)';
  return places[0] === 'empty prompt' ? ' (while the prompt is empty)' : '';
}
