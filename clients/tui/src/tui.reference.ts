import { keyLabel } from './keys/binding.js';
import { OWN_COMMANDS } from './meta/meta-command.js';
import type { Place } from './model.js';
import { KEYS } from './update/keys/key-table.js';

/** The part of docs/commands.md on the terminal UI: every meta command and every key. */
export function tuiReference(): string {
  return [metaPart(), keyPart()].join('\n');
}

function metaPart(): string {
  const rows = OWN_COMMANDS.map(
    ({ name, takes, does }) =>
      `| \`:${name}${takes === undefined ? '' : ` ${takes.replaceAll('|', '\\|')}`}\` | ${cell(does)} |`,
  );
  return `## In the terminal UI

The prompt takes the commands above with a colon, as in \`:show g4\`. Where a command names a goal or a chat and you leave the
name out, \`:set\`, \`:show\`, \`:file\`, \`:grant list\` and \`:memory summarize\` are about the one that is shown. The terminal also has:

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
  const about = `Other keys for an action: \`"keys": { "ACTION": ["ctrl-s"] }\` in \`~/.config/aish/config.json\`.

A letter answers when it stands alone: no text in the second before it, no other key in the half second after it, in which
any other key takes it back. That holds at a HALT or a confirmation, for the y of a plan or a question, for the x of a
grant, and for proposals that came up by themselves. What is typed on decides nothing and goes into the prompt, which shows
it; \`Ctrl-D\` brings the question back. \`aish watch\` and \`aish ask\` take p, s and a in the same way.`;
  return `## Keys\n\n${about}\n\n| key | does | where | action |\n|---|---|---|---|\n${rows.join('\n')}\n`;
}

function where(places: readonly Place[]): string {
  return places.length > 3 ? '' : places.join(', ');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '\\<');
}
