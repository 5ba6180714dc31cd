import { keyLabel } from './keys/binding.js';
import { OWN_COMMANDS } from './meta/meta-command.js';
import type { Place } from './model.js';
import { KEYS } from './update/keys/key-table.js';

/** Returns the part of docs/commands.md about the terminal UI: every command and every key. */
export function tuiReference(): string {
  return [metaPart(), keyPart()].join('\n');
}

function metaPart(): string {
  const rows = OWN_COMMANDS.map(
    ({ name, takes, does }) =>
      `| \`:${name}${takes === undefined ? '' : ` ${takes.replaceAll('|', '\\|')}`}\` | ${cell(does)} |`,
  );
  return `## In the terminal UI

In the prompt, type the commands above with a colon, such as \`:show g4\`. Without a name, \`:set\`, \`:show\`, \`:file\`,
\`:grant list\` and \`:memory summarize\` use the goal or chat that is shown. The terminal UI also has:

| | |\n|---|---|\n${rows.join('\n')}\n`;
}

function keyPart(): string {
  const rows = KEYS.flatMap(({ keys, help, places, action }) =>
    help === null
      ? []
      : [
          `| ${keys.map((key) => `\`${keyLabel(key)}\``).join(', ')} | ${cell(help)} | ${where(places)} | \`${action}\` |`,
        ],
  );
  const about = `To give an action other keys, put \`"keys": { "ACTION": ["ctrl-s"] }\` into \`~/.config/aish/config.json\`.

A letter counts as an answer only on its own: no text in the second before it, and no other key in the half second after
it, because another key cancels it. This applies at a HALT or a confirmation, to the y of a plan or a question, to the x of
a grant, and to proposals that appeared on their own. Text that you keep typing decides nothing. It goes into the prompt,
and \`Ctrl-D\` brings the question back. \`aish watch\` and \`aish ask\` accept p, s and a in the same way.`;
  return `## Keys\n\n${about}\n\n| key | does | where | action |\n|---|---|---|---|\n${rows.join('\n')}\n`;
}

function where(places: readonly Place[]): string {
  return places.length > 3 ? '' : places.join(', ');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '\\<');
}
