import { closest, distance } from 'fastest-levenshtein';
import { LIBRARY_COMMANDS } from './library.commands.js';
import type { MetaCommand } from './meta-command.js';
import { PLACE_COMMANDS } from './place.commands.js';
import { WORK_COMMANDS } from './work.commands.js';

/** Every meta command: the help, completion and what they do follow from this table. */
export const META_COMMANDS: readonly MetaCommand[] = [...WORK_COMMANDS, ...LIBRARY_COMMANDS, ...PLACE_COMMANDS];

export type PromptLine =
  /** `hint`: it looks like a command of another program, which aish does not have. */
  | { readonly type: 'text'; readonly text: string; readonly hint: string | null }
  | { readonly type: 'meta'; readonly command: MetaCommand; readonly rest: string }
  | { readonly type: 'wrong'; readonly message: string };

/** Reads what was typed into the prompt. */
export function parsePrompt(text: string): PromptLine {
  const trimmed = text.trim();
  if (!trimmed.startsWith(':')) return { type: 'text', text: trimmed, hint: hintFor(trimmed) };
  const typed = trimmed.slice(1).trim();
  const command = META_COMMANDS.filter(({ name }) => typed === name || typed.startsWith(`${name} `)).toSorted(
    (a, b) => b.name.length - a.name.length,
  )[0];
  if (command === undefined) return { type: 'wrong', message: unknownCommand(typed) };
  const rest = typed.slice(command.name.length).trim();
  if (rest === '' && command.isBareWrong === true) {
    return { type: 'wrong', message: `:${command.name} needs ${command.takes ?? 'more'}` };
  }
  if (rest !== '' && command.takes === undefined) {
    return { type: 'wrong', message: `:${command.name} takes nothing after it` };
  }
  return { type: 'meta', command, rest };
}

/** The words of a line; what stands in quotes is one, without them. A quote that is never closed is a character. */
export function splitWords(text: string): readonly string[] {
  const words = text.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
  );
}

/** What other chats do with such a line; aish would only tell the model. */
function hintFor(text: string): string | null {
  const slash = /^\/([a-z][a-z-]*)(?:\s|$)/.exec(text)?.[1];
  if (slash !== undefined) {
    const named = META_COMMANDS.find(({ name }) => name === slash);
    return `commands begin with a colon: ${named === undefined ? ':help lists them' : `:${named.name}`}. ${SEND_ANYWAY}`;
  }
  if (/^![\w./]/.test(text)) return `aish does not run ! lines: ask for the command in words. ${SEND_ANYWAY}`;
  if (/^@[\w./~-]+(?:\s|$)/.test(text)) return `@ attaches no file: paste its text here. ${SEND_ANYWAY}`;
  return null;
}

const SEND_ANYWAY = 'Enter sends it as it is';

/** `there is no command :sesions; did you mean :sessions?` */
function unknownCommand(typed: string): string {
  const group = META_COMMANDS.filter(({ name }) => name.startsWith(`${typed} `)).map(({ name }) => `:${name}`);
  if (group.length > 0) return `:${typed} needs more: ${group.join(', ')}`;
  const words = typed.split(/\s+/);
  const names = META_COMMANDS.map(({ name }) => name);
  const longer = words.length === 1 && typed !== '' ? names.find((name) => name.startsWith(typed)) : undefined;
  if (longer !== undefined) return `there is no command :${typed}; did you mean :${longer}?`;
  // The words of a command and no more: what follows it says nothing about its name.
  const guesses = [1, 2]
    .map((count) => words.slice(0, count).join(' '))
    .map((said) => ({ said, near: closest(said, names) }));
  const best = guesses.toSorted((a, b) => distance(a.said, a.near) - distance(b.said, b.near))[0];
  const isNear = best !== undefined && distance(best.said, best.near) <= Math.max(2, best.near.length / 3);
  return `there is no command :${words[0] ?? ''}; ${isNear ? `did you mean :${best.near}?` : ':help lists them'}`;
}

/** Completes the word before the cursor of a meta command. `null` when the server must be asked. */
export function completeMeta(text: string): {
  readonly from: number;
  readonly items: readonly { readonly text: string; readonly about: string }[];
  readonly ask: 'presets' | 'sessions' | 'goals' | null;
} {
  const typed = text.replace(/^\s*:\s*/, '');
  const start = text.length - typed.length;
  const names = META_COMMANDS.filter(({ name }) => name.startsWith(typed));
  const inside = META_COMMANDS.filter(({ name }) => typed.startsWith(`${name} `)).toSorted(
    (a, b) => b.name.length - a.name.length,
  )[0];
  if (names.length > 0 && (inside === undefined || names.some(({ name }) => name !== inside.name))) {
    return {
      from: start,
      items: names.map(({ name, takes, does }) => ({ text: takes === undefined ? name : `${name} `, about: does })),
      ask: null,
    };
  }
  if (inside?.offers === undefined) return { from: text.length, items: [], ask: null };
  const from = start + inside.name.length + 1;
  if (typeof inside.offers === 'string') return { from, items: [], ask: inside.offers };
  const word = text.slice(from);
  const items = inside.offers.filter((offer) => offer.startsWith(word)).map((offer) => ({ text: offer, about: '' }));
  return { from, items, ask: null };
}
