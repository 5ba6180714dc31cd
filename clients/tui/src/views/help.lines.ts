import { keyLabel } from '../keys/binding.js';
import { META_COMMANDS } from '../meta/meta-command.js';
import type { Binding, Model, Place } from '../model.js';
import { line, span, type Line } from '@aish/views/line';
import { wrapText } from '@aish/views/text/wrap';
import { VIEWS } from '../view-id.js';

/** Most labels fit into this width. Longer ones get a line of their own. */
const LABEL_COLS = 25;
/** Below this width, lines are cut instead of wrapped. */
const MIN_COLS = 60;

/** Returns the keys of the current view, then all commands and keys. They are generated from their tables. */
export function helpLines(model: Model): readonly Line[] {
  const { keys, size } = model;
  const cols = Math.max(MIN_COLS, size.cols);
  const commands = META_COMMANDS.flatMap(({ name, also, takes, does }) =>
    rows(
      `:${[name, ...also.filter((each) => !each.includes(' '))].join(', :')}${takes === undefined ? '' : ` ${takes}`}`,
      does,
      cols,
    ),
  );
  return [
    ...hereLines(model, cols),
    line(''),
    line('COMMANDS', 'heading'),
    ...commands,
    line(''),
    line('KEYS', 'heading'),
    ...keys.flatMap((binding) => keyRows(binding, placeNote(binding.places), cols)),
    line(''),
    line('SIGNS', 'heading'),
    ...SIGNS.flatMap(([sign, means]) => rows(sign, means, cols)),
    line(''),
    ...wrapText(NOTES, 'dim', cols),
  ];
}

const SIGNS: readonly (readonly [string, string])[] = [
  ['⚡', 'in the prompt: Norris works on a goal'],
  ['2.6k/32k ctx 8%', 'context that the model last used; yellow when older turns will soon be omitted'],
  ['41 t/s', 'tokens per second from the model'],
  ['? 3', 'in the memory: a proposal for you to review'],
];

const NOTES = `A letter counts as an answer only on its own: no text just before it, and no other key for half a second after it. Other
text goes into the prompt.
Goals continue without you. Quit whenever you like, and read the history of goal 4 with \`aish show g4\`.
If this program is killed with kill -9, \`reset\` repairs the terminal.`;

function hereLines(model: Model, cols: number): readonly Line[] {
  const place: Place = model.helpFrom === 'chat' ? 'empty prompt' : 'list';
  const there: Model = { ...model, view: model.helpFrom };
  // The keys of this place come first, and keys that work everywhere follow.
  const working = model.keys.filter(
    ({ places, unavailable }) => places.includes(place) && unavailable?.(there) === undefined,
  );
  const sorted = working.toSorted((a, b) => a.places.length - b.places.length);
  const title = VIEWS.find(({ id }) => id === model.helpFrom)?.title ?? '';
  return [
    line(`KEYS IN ${title.toUpperCase()}`, 'heading'),
    ...sorted.flatMap((binding) => keyRows(binding, '', cols)),
  ];
}

function keyRows({ help, keys }: Binding, note: string, cols: number): readonly Line[] {
  return help === null ? [] : rows(keys.map(keyLabel).join('  '), `${help}${note}`, cols);
}

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
