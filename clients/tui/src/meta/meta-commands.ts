import { nearestWord } from '@aish/contracts/nearest';
import { RENAMED, renamed } from '@aish/views/commands/renamed';
import { META_COMMANDS, RENAMED_HERE, needsMore, offersOf, type MetaCommand } from './meta-command.js';

export type PromptLine =
  /** A command that the person runs in the workspace. */
  | { readonly type: 'own'; readonly command: string }
  /** `hint`: the line looks like a command of another program, which aish does not have. */
  | { readonly type: 'text'; readonly text: string; readonly hint: string | null }
  /** `note` is set if the line has an old spelling. */
  | { readonly type: 'meta'; readonly command: MetaCommand; readonly rest: string; readonly note: string | null }
  | { readonly type: 'wrong'; readonly message: string };

/** Parses a line of the prompt. */
export function parsePrompt(text: string): PromptLine {
  const trimmed = text.trim();
  const own = /^!(?=[^\s!])([^]+)$/.exec(trimmed)?.[1];
  if (own !== undefined) return { type: 'own', command: own };
  if (!trimmed.startsWith(':')) return { type: 'text', text: trimmed, hint: hintFor(trimmed) };
  const said = trimmed.slice(1).trim();
  const now = renamed(said.split(/\s+/), (name) => NAMES.has(name), { ...RENAMED, ...RENAMED_HERE });
  const typed = now === null ? said : now.words.join(' ');
  const [command, name] = commandIn(typed) ?? [];
  if (command === undefined || name === undefined) return { type: 'wrong', message: unknownCommand(typed) };
  const rest = typed.slice(name.length).trim();
  if (rest === '' && needsMore(command)) return { type: 'wrong', message: `:${name} needs ${command.takes ?? 'more'}` };
  if (rest !== '' && command.takes === undefined && (command.aish === null || !rest.startsWith('-'))) {
    const near = nearestWord(
      typed.split(/\s+/).slice(0, 2).join(' '),
      [...NAMES].filter((each) => each.startsWith(`${name} `)),
    );
    return { type: 'wrong', message: `:${name} takes no arguments${near === null ? '' : `; did you mean :${near}?`}` };
  }
  return { type: 'meta', command, rest, note: now === null ? null : `:${now.from} is now :${now.to}` };
}

const spellingsOf = ({ name, also }: MetaCommand): readonly string[] => [name, ...also];
const NAMES = new Set(META_COMMANDS.flatMap(spellingsOf));

/** Finds the command at the start of a line, and the longest sequence of words that names it. */
function commandIn(typed: string): readonly [MetaCommand, string] | undefined {
  const found = META_COMMANDS.flatMap((command) =>
    spellingsOf(command).flatMap((name) =>
      typed === name || typed.startsWith(`${name} `) ? [[command, name] as const] : [],
    ),
  );
  return found.toSorted(([, a], [, b]) => b.length - a.length)[0];
}

/**
 * Returns the words of a line. Quoted text is one word without its quotes. An unclosed quote is an ordinary character.
 */
export function splitWords(text: string): readonly string[] {
  const words = text.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
  );
}

/** Returns a hint for lines that other chat programs treat as commands. aish would just send them to the model. */
function hintFor(text: string): string | null {
  const slash = /^\/([a-z][a-z-]*)(?:\s|$)/.exec(text)?.[1];
  if (slash !== undefined) {
    const named = META_COMMANDS.find(({ name }) => name === slash);
    return `commands begin with a colon: ${named === undefined ? ':help lists them' : `:${named.name}`}. ${SEND_ANYWAY}`;
  }
  return null;
}

const SEND_ANYWAY = 'Press Enter again to send it as it is';

/** Returns an error such as `there is no command :sesions; did you mean :sessions?`. */
function unknownCommand(typed: string): string {
  const group = META_COMMANDS.filter(({ name }) => name.startsWith(`${typed} `)).map(({ name }) => `:${name}`);
  if (group.length > 0) return `:${typed} needs more: ${group.join(', ')}`;
  const words = typed.split(/\s+/);
  // At most two words, because later words do not belong to the name.
  const near = nearestWord(words.slice(0, 2).join(' '), [...NAMES]) ?? nearestWord(words[0] ?? '', [...NAMES]);
  return `there is no command :${words[0] ?? ''}; ${near === null ? ':help lists them' : `did you mean :${near}?`}`;
}

/** Completes the word before the cursor of a command. Returns `null` if the server must be queried. */
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
