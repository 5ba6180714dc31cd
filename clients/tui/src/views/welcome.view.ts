import { line, span, type Line } from '@aish/views/line';

const HINTS: readonly (readonly [string, string])[] = [
  ['type', 'to talk to the model; it may run commands in a container of its own'],
  ['Ctrl-N', 'to give Norris a goal; it stops before anything destructive'],
  [':resume', 'to go on with an earlier session'],
  ['F1 to F7', 'for chat, goals, decisions, memory, knowledge, sessions, help'],
  ['?', 'for all keys and commands'],
];

/** What a newcomer needs to know, and nobody else looks at. */
export function welcome(rows: number): readonly Line[] {
  const lines: Line[] = [
    line(''),
    [span('  aish', 'heading'), span('  an AI shell for your homelab', 'dim')],
    line(''),
    ...HINTS.map(([key, does]): Line => [span(`  ${key.padEnd(10)}`, 'accent'), span(does, 'dim')]),
  ];
  return lines.slice(0, rows);
}
