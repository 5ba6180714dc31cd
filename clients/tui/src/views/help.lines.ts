import { keyLabel } from '../keys/binding.js';
import { META_COMMANDS } from '../meta/meta-commands.js';
import type { Model, Place } from '../model.js';
import { line, span, type Line } from '@aish/views/line';
import { wrapText } from '../text/wrap.js';

/** As long as most labels; what is longer has a line of its own. */
const LABEL_COLS = 25;
/** Below this lines are cut rather than broken. */
const MIN_COLS = 60;

/** Keys and commands, made of the tables that carry them out. */
export function helpLines({ keys: table, size }: Pick<Model, 'keys' | 'size'>): readonly Line[] {
  const cols = Math.max(MIN_COLS, size.cols);
  const keys = table.flatMap(({ help, keys: names, places }) =>
    help === null ? [] : rows(names.map(keyLabel).join('  '), `${help}${placeNote(places)}`, cols),
  );
  const commands = META_COMMANDS.flatMap(({ name, takes, does }) =>
    rows(`:${name}${takes === undefined ? '' : ` ${takes}`}`, does, cols),
  );
  return [
    line('COMMANDS', 'heading'),
    ...commands,
    line(''),
    line('KEYS', 'heading'),
    ...keys,
    line(''),
    ...wrapText(NOTES, 'dim', cols),
  ];
}

const NOTES = `A letter answers when it stands alone: no text just before it, no other key for half a second after it. What you type
on goes into the prompt instead.
Goals go on without you: quit whenever you like, and see \`aish show 4\` for the story of goal 4.
A kill -9 of this program leaves the terminal as it is; \`reset\` puts it right.`;

function rows(label: string, does: string, cols: number): readonly Line[] {
  const beside = `  ${label.padEnd(LABEL_COLS)} `;
  const indent = ' '.repeat(LABEL_COLS + 3);
  const about = wrapText(does, 'plain', cols, { indent });
  if (label.length > LABEL_COLS) return [line(`  ${label}`, 'bold'), ...about];
  return about.map((each, index) => (index === 0 ? [span(beside, 'bold'), ...each.slice(1)] : each));
}

function placeNote(places: readonly Place[]): string {
  if (places.length !== 1) return '';
  if (places[0] === 'HALT') return ' (at a HALT)';
  return places[0] === 'list' ? ' (in a list)' : '';
}
