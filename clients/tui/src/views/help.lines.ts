import { keyLabel } from '../keys/binding.js';
import { META_COMMANDS } from '../meta/meta-command.js';
import type { Binding, Model, Place } from '../model.js';
import { line, span, type Line } from '@aish/views/line';
import { wrapText } from '@aish/views/text/wrap';
import { VIEWS } from '../view-id.js';

/** As long as most labels; what is longer has a line of its own. */
const LABEL_COLS = 25;
/** Below this lines are cut rather than broken. */
const MIN_COLS = 60;

/** What works where the help was asked for, then all commands and keys: made of the tables that carry them out. */
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
  [
    '2.6k/32k ctx 8%',
    'what the model last read and wrote, and how much fits; yellow when older turns are soon left out',
  ],
  ['41 t/s', 'tokens the model wrote in a second'],
  ['? 3', 'in the memory: a proposal that waits for you'],
];

const NOTES = `A letter answers when it stands alone: no text just before it, no other key for half a second after it. What you type
on goes into the prompt instead.
Goals go on without you: quit whenever you like, and see \`aish show g4\` for the story of goal 4.
A kill -9 of this program leaves the terminal as it is; \`reset\` puts it right.`;

function hereLines(model: Model, cols: number): readonly Line[] {
  const place: Place = model.helpFrom === 'chat' ? 'empty prompt' : 'list';
  const there: Model = { ...model, view: model.helpFrom };
  // What works in one place alone is what one asks for; keys that work everywhere come after it.
  const working = model.keys.filter(
    ({ places, unavailable }) => places.includes(place) && unavailable?.(there) === undefined,
  );
  const sorted = working.toSorted((a, b) => a.places.length - b.places.length);
  const title = VIEWS.find(({ id }) => id === model.helpFrom)?.title ?? '';
  return [
    line(`WHAT WORKS IN ${title.toUpperCase()}`, 'heading'),
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
