import { type AnyCommand, type Option, type Positional, type Suggests, optionName } from './command.js';

export interface Candidate {
  readonly text: string;
  readonly about: string;
}

export interface Completions {
  readonly items: readonly Candidate[];
  /** The kind of candidates at this position that only the server or the shell knows. */
  readonly suggests: Suggests | null;
}

const GLOBAL: readonly Candidate[] = [
  { text: '--url', about: 'address of the api' },
  { text: '--token-file', about: 'file that contains the bearer token' },
  { text: '--profile', about: 'a profile in the profiles file' },
  { text: '--help', about: 'help' },
];

/**
 * Returns the candidates at the cursor. The function is pure and uses the command table. @param words The words after
 * `aish`. The last one is being completed and may be ''.
 */
export function completionsFor(
  commands: readonly AnyCommand[],
  groups: Readonly<Record<string, string>>,
  words: readonly string[],
): Completions {
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const typed = before.filter((word) => !word.startsWith('-'));
  const shown = commands.filter((command) => command.isHidden !== true);
  const command = [3, 2, 1]
    .map((count) => typed.slice(0, count).join(' '))
    .map((words) => shown.find(({ name, short = [] }) => [name, ...short].includes(words)))
    .find((found) => found !== undefined);
  if (command === undefined) return only(current, namesAfter(shown, groups, typed));
  const previous = Object.entries(command.options ?? {}).find(([key, { short }]) =>
    [optionName(key), short].includes(before.at(-1) ?? ''),
  )?.[1];
  if (previous?.takes !== undefined) return valuesOf(previous, current);
  if (current.startsWith('-')) return only(current, optionsOf(command));
  const args = Object.values(command.args ?? {});
  const called = [command.name, ...(command.short ?? [])].find((name) => `${typed.join(' ')} `.startsWith(`${name} `));
  const at = valueWords(command, before).length - (called ?? command.name).split(' ').length;
  const last = args.at(-1);
  const isLong = last !== undefined && (last.shape === 'many' || last.shape === 'any');
  const positional = args[at] ?? (isLong ? last : undefined);
  return positional === undefined ? only(current, optionsOf(command)) : valuesOf(positional, current);
}

/** Returns the words that are neither options nor values of options. */
function valueWords({ options = {} }: AnyCommand, words: readonly string[]): readonly string[] {
  const taking = Object.entries(options).flatMap(([key, { takes, short }]) =>
    takes === undefined ? [] : [optionName(key), short],
  );
  return words.filter((word, at) => !word.startsWith('-') && !taking.includes(words[at - 1] ?? ''));
}

function namesAfter(
  commands: readonly AnyCommand[],
  groups: Readonly<Record<string, string>>,
  typed: readonly string[],
): readonly Candidate[] {
  const depth = typed.length;
  const names = commands.flatMap(({ name, short = [], about }) =>
    [...short.filter((each) => !each.includes(' ')), name].flatMap((spelling): Candidate[] => {
      const parts = spelling.split(' ');
      const part = parts[depth];
      if (part === undefined || !typed.every((word, at) => parts[at] === word)) return [];
      const path = parts.slice(0, depth + 1).join(' ');
      return [{ text: part, about: parts.length > depth + 1 ? (groups[path] ?? '') : about }];
    }),
  );
  return names.filter(({ text }, at) => names.findIndex((other) => other.text === text) === at);
}

function optionsOf({ options = {}, json }: AnyCommand): readonly Candidate[] {
  const own = Object.entries(options).map(([key, { about }]) => ({ text: optionName(key), about }));
  return [...own, ...(json === undefined ? [] : [{ text: '--json', about: json }]), ...GLOBAL];
}

function valuesOf({ choices, suggests }: Option | Positional, current: string): Completions {
  if (choices !== undefined)
    return only(
      current,
      choices.map((text) => ({ text, about: '' })),
    );
  return { items: [], suggests: suggests ?? null };
}

function only(current: string, items: readonly Candidate[]): Completions {
  return { items: items.filter(({ text }) => text.startsWith(current)), suggests: null };
}
