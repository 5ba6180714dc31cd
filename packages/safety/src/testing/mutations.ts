/**
 * A change to a command that does not change its meaning for a shell. `seed` chooses the place, and the same seed gives
 * the same text.
 */
export type Mutation = (command: string, seed: number) => string;

/** Whether the text is a single command of plain words, which can be quoted, escaped and wrapped word by word. */
export const isPlain = (command: string): boolean =>
  /^[\w./-]+( [\w./:@%+,-]+)*$/.test(command) &&
  !/^(if|for|while|until|case|select|function|time|coproc|trap|exec|builtin|eval|set|export|local|alias|source|crontab)\b/.test(
    command,
  ) &&
  !/^\.( |$)/.test(command) &&
  !/--help/.test(command);

/** Whether the text can be inserted into another one without changes. */
export const isWhole = (command: string): boolean =>
  !/<<|'|\\|\$|#|`|^(exec|local|set|export|coproc|trap)\b|&\s*$/.test(command) && !/"/.test(command);

const words = (command: string, change: (word: string, at: number) => string): string =>
  command.split(' ').map(change).join(' ');
const pick = (word: string, seed: number): number => 1 + (seed % Math.max(1, word.length - 1));

/** Puts a wrapper before the command. An assignment after the wrapper needs `env`. */
const before =
  (wrapper: string): Mutation =>
  (command) =>
    `${wrapper} ${/^\s*\w+=/.test(command) ? 'env ' : ''}${command.trimStart()}`;

export const MUTATIONS: readonly Mutation[] = [
  (command, seed) =>
    words(command, (word) =>
      isBare(word) ? `${word.slice(0, pick(word, seed))}""${word.slice(pick(word, seed))}` : word,
    ),
  (command, seed) =>
    words(command, (word) =>
      isBare(word) ? `${word.slice(0, pick(word, seed))}''${word.slice(pick(word, seed))}` : word,
    ),
  (command) => words(command, (word) => (isBare(word) ? `'${word}'` : word)),
  (command) => words(command, (word) => (isBare(word) ? `"${word}"` : word)),
  (command, seed) =>
    words(command, (word) =>
      isBare(word) ? `${word.slice(0, seed % word.length)}\\${word.slice(seed % word.length)}` : word,
    ),
  (command) => command.replaceAll(' ', '   '),
  (command) => command.replaceAll(' ', ' \\\n '),
  (command) => command.replaceAll(' ', '\t'),
  (command) => `  ${command}  `,
  before('command'),
  before('sudo'),
  before('sudo -u root --'),
  before('env X=1'),
  (command) => `X=1 ${command}`,
  before('nice -n 5'),
  before('nohup'),
  before('timeout 60'),
  before('stdbuf -oL'),
  (command) => `${command} 2>/dev/null`,
  (command) =>
    words(command, (word, at) =>
      at === 0 && isBare(word)
        ? `$'${Array.from(word, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')}'`
        : word,
    ),
];

export const WHOLE_MUTATIONS: readonly Mutation[] = [
  (command) => `true\n${command}`,
  (command) => `${command}\necho done`,
  (command) => `echo start; ${command}`,
  (command) => `echo start && ${command}`,
  (command) => `false || ${command}`,
  (command) => `( ${command} )`,
  (command) => `{ ${command}\n}`,
  (command) => `if true; then ${command}\nfi`,
  (command) => `for i in 1; do ${command}\ndone`,
  (command) => `f() { ${command}\n}; f`,
  (command) => (command.includes("'") ? command : `bash -c '${command}'`),
  (command) => (command.includes("'") ? command : `sudo sh -c '${command}'`),
  (command) => (command.includes("'") ? command : `eval '${command}'`),
  (command) => (command.includes("'") ? command : `ssh host '${command}'`),
  (command) => (command.includes("'") ? command : `echo '${command}' | bash`),
  (command) => (/<<|\n/.test(command) ? command : `bash <<'END'\n${command}\nEND`),
  (command) => (/<<|\n/.test(command) ? command : `${command} # comment`),
  (command) => `\n\n${command}\n`,
];

/** Whether no character of the word has a meaning for the shell. */
const isBare = (word: string): boolean => /^[\w./:@%+,-]+$/.test(word) && !/^\d+$/.test(word) && word.length > 0;
