import { isFilled, joined, type Input, type Word } from './command.js';
import type { Reader, Run } from './reading.js';

/** Commands of tmux that pass text to a shell. tmux also accepts their abbreviations. */
const TMUX_RUNS =
  'new-session new new-window neww split-window splitw send-keys send respawn-pane respawn-window run-shell run display-popup popup if-shell if pipe-pane confirm-before bind-key bind set-hook'.split(
    ' ',
  );

/** Reads commands of tmux. A semicolon separates them: `tmux new -d 'rm f' \\; run 'rm g'`. */
export function tmux(reader: Reader, run: Run): Input {
  const output = reader.emit(run);
  const words = run.words.slice(1);
  let found: Input | null = null;
  words.forEach((word, at) => {
    if (word.text === '-c' && at < words.findIndex(({ text }) => !text.startsWith('-')) && words[at + 1] !== undefined)
      found = reader.code(words[at + 1] ?? word, { kind: 'none' });
  });
  for (const command of parted(words)) found = tmuxCommand(reader, command) ?? found;
  return found ?? output;
}

function parted(words: readonly Word[]): readonly (readonly Word[])[] {
  const parts: Word[][] = [[]];
  for (const word of words) {
    if (word.text === ';') parts.push([]);
    else parts.at(-1)?.push(word);
  }
  return parts;
}

function tmuxCommand(reader: Reader, words: readonly Word[]): Input | null {
  const at = words.findIndex(({ text }) => text.length > 1 && TMUX_RUNS.some((name) => name.startsWith(text)));
  const name = words[at]?.text ?? '';
  if (at === -1) return null;
  const keys = name.startsWith('send');
  const rest: Word[] = [];
  for (let index = at + 1; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined) continue;
    if (/^-[a-zA-Z]*[scntxyFelpwh]$/.test(word.text) && rest.length === 0 && !/^-[dPhvblR]+$/.test(word.text))
      index += 1;
    else if (!word.text.startsWith('-') || rest.length > 0) rest.push(word);
  }
  // These take a shell command or a name, and then commands of tmux.
  if (/^(if|conf|bi|set-h)/.test(name)) {
    const [first, ...others] = rest;
    if (name.startsWith('if') && first !== undefined) reader.code(first, { kind: 'none' });
    const inner = /^(bi|set-h)/.test(name)
      ? [others.map(({ text }) => text).join(' ')]
      : [first, ...others].map((word) => word?.text ?? '');
    if (first !== undefined) for (const text of inner) reader.code(first, { kind: 'none' }, `tmux ${text}`);
    return null;
  }
  const typed = rest.filter(({ text }) => !(keys && /^(Enter|C-m|C-c|C-d|Space|KPEnter)$/.test(text)));
  return isFilled(typed) ? reader.code(joined(typed), { kind: 'none' }) : null;
}

export function screen(reader: Reader, run: Run): Input {
  const output = reader.emit(run);
  const stuff = run.words.findIndex(({ text }) => text === 'stuff');
  const typed = run.words[stuff + 1];
  if (stuff !== -1 && typed !== undefined)
    return reader.code({ ...typed, text: typed.text.replace(/(\\n|\^M|\r)/g, '\n') }, { kind: 'none' });
  let at = 1;
  while ((run.words[at]?.text ?? '').startsWith('-'))
    at += /^-[a-zA-Z]*[SctTpehs]$/.test(run.words[at]?.text ?? '') ? 2 : 1;
  const rest = run.words.slice(at);
  return rest.length === 0 || run.words.some(({ text }) => /^-(ls|r|X|Q|wipe|x|d|D|list)$/.test(text))
    ? output
    : reader.run({ ...run, redirections: [], words: rest });
}
