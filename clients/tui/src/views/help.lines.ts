import { KEYS, keyLabel, keysOf, type Place } from '../keys/keys.js';
import { META_COMMANDS } from '../meta/meta-commands.js';
import type { Model } from '../model.js';
import { line, span, type Line } from '../text/line.js';

const LABEL_COLS = 24;

/** Keys and commands, made of the tables that carry them out. */
export function helpLines(model: Pick<Model, 'keyMap'>): readonly Line[] {
  const keys = KEYS.flatMap((binding) =>
    binding.does === null
      ? []
      : [row(keysOf(binding, model.keyMap).map(keyLabel).join('  '), `${binding.does}${placeNote(binding.places)}`)],
  );
  const commands = META_COMMANDS.map(({ name, takes, does }) =>
    row(`:${name}${takes === undefined ? '' : ` ${takes}`}`, does),
  );
  return [
    line('COMMANDS', 'heading'),
    ...commands,
    line(''),
    line('KEYS', 'heading'),
    ...keys,
    line(''),
    line('Goals go on without you: quit whenever you like, and see `aish show 4` for the story of goal 4.', 'dim'),
    line('A kill -9 of this program leaves the terminal as it is; `reset` puts it right.', 'dim'),
  ];
}

function row(label: string, does: string): Line {
  return [span(`  ${label.padEnd(LABEL_COLS)} `, 'bold'), span(does)];
}

function placeNote(places: readonly Place[]): string {
  if (places.length !== 1) return '';
  if (places[0] === 'HALT') return ' (at a HALT)';
  return places[0] === 'list' ? ' (in a list)' : '';
}
