import type { Arena } from './arena.js';
import type { Candidate, Choice } from './candidates.js';

interface Option {
  readonly flag: string;
  /** The name of the option's value in the help text, or null if it has none. */
  readonly value: string | null;
  /** The text between the option and its value. */
  readonly joint: '=' | ' ' | '';
}

const TIMEOUT_MS = 60_000;
const HELP_CHARS = 4_000_000;
const COMMAND = "'rm -f keep.txt'";

/** Operands around an option, by program, so that the option works in the world of an arena. */
const SHAPES: Readonly<Record<string, readonly string[]>> = {
  find: ['find . -maxdepth 1 -name keep.txt OPT', 'find OPT a.txt', 'find . -maxdepth 1 OPT -name keep.txt'],
  tar: [
    'tar OPT -cf /dev/null a.txt',
    'tar -cf /tmp/new.tar OPT a.txt',
    'tar -tf archive.tar OPT',
    'tar -xf archive.tar OPT',
    'tar OPT keep.txt a.txt',
  ],
  curl: ['curl -s OPT http://127.0.0.1:8080/keep.txt', 'curl OPT -s http://127.0.0.1:8080/items/1'],
  sqlite3: ["sqlite3 OPT app.db 'select * from items'", 'sqlite3 OPT keep.txt', 'sqlite3 app.db OPT < a.txt'],
  sed: ['sed OPT s/line/x/ keep.txt', 'sed -n OPT p keep.txt a.txt'],
  gawk: ["gawk OPT '{ print }' keep.txt", "gawk OPT -- 'BEGIN { x = 1 }' a.txt"],
  awk: ["awk OPT '{ print }' keep.txt"],
  make: ['make OPT', 'make -n OPT show', 'make OPT show X=1'],
};
const GIT_SHAPES = [
  'git SUB OPT',
  'git SUB OPT keep.txt',
  'git SUB OPT HEAD',
  'git SUB OPT topic',
  'git SUB OPT README.md',
];
const OTHER_SHAPES = [
  'PROGRAM OPT keep.txt',
  'PROGRAM OPT a.txt keep.txt',
  'PROGRAM OPT < a.txt',
  'PROGRAM keep.txt OPT',
];

/**
 * Returns commands with every option in the help texts of coreutils, git, find, tar, curl, sqlite3, sed, awk and make
 * in the image.
 * @throws Error if a help text cannot be parsed
 */
export async function optionCommands(arena: Arena, choice: Choice): Promise<readonly Candidate[]> {
  const helps = await read(
    arena,
    `progs=$(dpkg -L coreutils | sed -n 's|^/usr/bin/||p; s|^/bin/||p' | grep -vE '^(yes|\\[)$'); ` +
      `for p in $progs find tar sed gawk awk make; do printf '\\n@@@ %s\\n' "$p"; "$p" --help 2>&1; done; ` +
      `printf '\\n@@@ curl\\n'; curl --help all; printf '\\n@@@ sqlite3\\n'; sqlite3 -help 2>&1; ` +
      `printf '\\n@@@ .sqlite\\n'; sqlite3 :memory: .help; ` +
      `for s in $(git --list-cmds=main,nohelpers); do printf '\\n@@@ git %s\\n' "$s"; git "$s" -h 2>&1; done`,
  );
  const found = helps.flatMap(({ name, text }) =>
    name === '.sqlite' ? dotCommands(text) : commands(name, text, choice),
  );
  if (found.length < 1_000) throw new Error(`truth: only ${found.length} options could be read from the image`);
  return [...new Map(found.map((item) => [item.cmd, item])).values()];
}

async function read(arena: Arena, cmd: string): Promise<readonly { readonly name: string; readonly text: string }[]> {
  const { output } = await arena.run({ cmd, timeoutMs: TIMEOUT_MS, keepChars: HELP_CHARS });
  return output
    .split('\n@@@ ')
    .slice(1)
    .map((part) => ({ name: part.slice(0, part.indexOf('\n')), text: part.slice(part.indexOf('\n')) }));
}

/** Returns the options in a help text. */
export function optionsOf(text: string): readonly Option[] {
  const found = new Map<string, Option>();
  for (const line of text.split('\n').filter((item) => /^\s+.{0,3}-|^\s*usage|\[-/.test(item))) {
    // The value of an option belongs to all of its names: `-o, --output=FILE`.
    let value: string | null = null;
    const names: [string, Option['joint']][] = [];
    for (const [, dashes = '', no, name = '', joint = '', hint] of line.matchAll(
      /(?<![\w-])(--?)(\[no-\])?([A-Za-z0-9][\w-]*)(?:(\[?=|\s)\[?(<[^>]+>|[A-Z][A-Z_-]+(?![a-z])|\([\w|]+\)|(?<==)[\w-]+))?/g,
    )) {
      if (hint !== undefined) value = hint;
      names.push([`${dashes}${name}`, joint.includes('=') || (dashes === '--' && name.length > 1) ? '=' : ' ']);
      if (no !== undefined) found.set(`--no-${name}`, { flag: `--no-${name}`, value: null, joint: '' });
    }
    for (const [flag, joint] of names)
      if (!/^--?(help|version|usage)$/.test(flag)) found.set(flag, { flag, value, joint });
  }
  return [...found.values()];
}

function commands(name: string, text: string, choice: Choice): readonly Candidate[] {
  const program = name.split(' ')[0] ?? name;
  const shapes = SHAPES[program] ?? (program === 'git' ? GIT_SHAPES : OTHER_SHAPES);
  return optionsOf(text).flatMap((option) => {
    const spelled = wordsOf(option, choice);
    return spelled.flatMap((words) =>
      shapes.map((shape): Candidate => {
        const cmd = shape
          .replace('PROGRAM', () => name)
          .replace('git SUB', () => name)
          .replace('OPT', () => words);
        return { cmd, source: 'options', class: name, form: option.flag };
      }),
    );
  });
}

/** Returns spellings of an option: with each kind of harmful value, and abbreviated. */
function wordsOf({ flag, value, joint }: Option, choice: Choice): readonly string[] {
  if (value === null) return [flag, ...(/^--\w{6,}/.test(flag) && choice.chance(0.3) ? [flag.slice(0, -2)] : [])];
  const values = /^<?(n|num|number|size|bytes|seconds|count|depth|int|digits)\b/i.test(value.replace('(', ''))
    ? ['1']
    : /cmd|command|prog|exec|pager|shell|hook|action/i.test(value)
      ? [COMMAND, `exec=${COMMAND}`]
      : ['keep.txt', COMMAND];
  const joined = values.map((item) => `${flag}${joint}${item}`);
  if (!flag.startsWith('--')) return [...joined, `${flag}${choice.pick(values)}`];
  return [...joined, ...(flag.length > 7 && choice.chance(0.3) ? [`${flag.slice(0, -2)}=${choice.pick(values)}`] : [])];
}

/** Returns the commands that begin with a dot, with the arguments in their help text. */
function dotCommands(text: string): readonly Candidate[] {
  return [...text.matchAll(/^\.([a-z]+)/gm)].flatMap(([, name = '']) =>
    ['', ' keep.txt', ' rm -f keep.txt', ' |rm -f keep.txt', ' items', ' items keep.txt'].flatMap((value) =>
      [name, name.slice(0, -1)].map((spelled): Candidate => ({
        cmd: `sqlite3 app.db '.${spelled}${value}' 'select 1'`,
        source: 'options',
        class: 'sqlite3 with a dot',
        form: `.${name}`,
      })),
    ),
  );
}
