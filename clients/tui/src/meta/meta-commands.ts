import { closest, distance } from 'fastest-levenshtein';
import { RENAMED, renamed } from '@aish/views/commands/renamed';
import { META_COMMANDS, RENAMED_HERE, needsMore, offersOf, type MetaCommand } from './meta-command.js';

export type PromptLine =
  /** `hint`: it looks like a command of another program, which aish does not have. */
  | { readonly type: 'text'; readonly text: string; readonly hint: string | null }
  /** `note`: it was typed as in an earlier version. */
  | { readonly type: 'meta'; readonly command: MetaCommand; readonly rest: string; readonly note: string | null }
  | { readonly type: 'wrong'; readonly message: string };

/** Reads what was typed into the prompt. */
export function parsePrompt(text: string): PromptLine {
  const trimmed = text.trim();
  if (!trimmed.startsWith(':')) return { type: 'text', text: trimmed, hint: hintFor(trimmed) };
  const said = trimmed.slice(1).trim();
  const now = renamed(said.split(/\s+/), (name) => NAMES.has(name), { ...RENAMED, ...RENAMED_HERE });
  const typed = now === null ? said : now.words.join(' ');
  const [command, name] = commandIn(typed) ?? [];
  if (command === undefined || name === undefined) return { type: 'wrong', message: unknownCommand(typed) };
  const rest = typed.slice(name.length).trim();
  if (rest === '' && needsMore(command)) return { type: 'wrong', message: `:${name} needs ${command.takes ?? 'more'}` };
  if (rest !== '' && command.takes === undefined && (command.aish === null || !rest.startsWith('-'))) {
    return { type: 'wrong', message: `:${name} takes nothing after it` };
  }
  return { type: 'meta', command, rest, note: now === null ? null : `:${now.from} is now :${now.to}` };
}

const spellingsOf = ({ name, also }: MetaCommand): readonly string[] => [name, ...also];
const NAMES = new Set(META_COMMANDS.flatMap(spellingsOf));

/** The command that a line begins with, and the words that name it: the most there are. */
function commandIn(typed: string): readonly [MetaCommand, string] | undefined {
  const found = META_COMMANDS.flatMap((command) =>
    spellingsOf(command).flatMap((name) =>
      typed === name || typed.startsWith(`${name} `) ? [[command, name] as const] : [],
    ),
  );
  return found.toSorted(([, a], [, b]) => b.length - a.length)[0];
}

/** The words of a line. A quoted text is one word, without its quotes. A quote that is never closed is a character. */
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
  const names = META_COMMANDS.flatMap((command) => {
    const text = spellingsOf(command).find((each) => each.startsWith(typed));
    return text === undefined ? [] : [{ command, text }];
  });
  const [inside, name] = commandIn(`${typed} `) ?? [];
  const isNamed = inside !== undefined && name !== undefined && typed.startsWith(`${name} `);
  if (names.length > 0 && (!isNamed || names.some(({ command }) => command !== inside))) {
    return {
      from: start,
      items: names.map(({ command: { takes, does }, text }) => ({
        text: takes === undefined ? text : `${text} `,
        about: does,
      })),
      ask: null,
    };
  }
  if (!isNamed) return { from: text.length, items: [], ask: null };
  const offers = offersOf(inside);
  const from = start + name.length + 1;
  if (typeof offers === 'string') return { from, items: [], ask: offers };
  const word = text.slice(from);
  const items = offers.filter((offer) => offer.startsWith(word)).map((offer) => ({ text: offer, about: '' }));
  return { from, items, ask: null };
}
