import { line, span, type Line } from '@aish/views/line';

const HINTS: readonly (readonly [string, string])[] = [
  ['type', 'to talk to the model; its commands run in a container'],
  ['Ctrl-N', 'to give Norris a goal; it asks you before it destroys anything'],
  [':resume', 'to continue an earlier session'],
  ['F1 to F7', 'for chat, goals, decisions, memory, knowledge, sessions, help'],
  ['?', 'for all keys and commands'],
];

/** Returns the text for newcomers. */
export function welcome(rows: number): readonly Line[] {
  const lines: Line[] = [
    line(''),
    [span('  aish', 'heading'), span('  an AI shell for your homelab', 'dim')],
    line(''),
    ...HINTS.map(([key, does]): Line => [span(`  ${key.padEnd(10)}`, 'accent'), span(does, 'dim')]),
  ];
  return lines.slice(0, rows);
}
