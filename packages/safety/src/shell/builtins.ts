import { HOLE, isFilled, joined, type Input, type Word } from './command.js';
import { runVariable } from './environment.js';
import { evaluateName, evaluateNumber, evaluatePrompt } from './evaluation.js';
import type { Reader, Run } from './reading.js';
import { FETCHED } from './outputs.js';
import { runFile } from './shells.js';

type Builtin = (reader: Reader, run: Run) => Input;
const NOTHING: Input = { kind: 'none' };

/** Builtins of the shell, with their effects on the commands after them. */
export const BUILTINS: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['eval', evaluate],
  ['source', source],
  ['.', source],
  ['trap', trap],
  ['alias', alias],
  ['unalias', plain],
  ['set', set],
  ['shopt', plain],
  ['export', declare],
  ['declare', declare],
  ['local', declare],
  ['readonly', declare],
  ['typeset', declare],
  ['read', forget],
  ['mapfile', callback],
  ['readarray', callback],
  ['unset', forget],
  ['getopts', forget],
  ['printf', printf],
  ['hash', hash],
  ['let', counts],
  ['wait', waits],
  ['test', tests],
  ['[', tests],
  ['shift', shift],
  ['complete', callback],
  ['compgen', callback],
  ['bind', callback],
  ['jobs', jobs],
  ['enable', enable],
  ['fc', repeat],
]);

function evaluate(reader: Reader, run: Run): Input {
  reader.emit({ ...run, words: run.words.slice(0, 1) });
  const words = run.words.slice(1).filter((word, index) => !(index === 0 && word.text === '--'));
  if (!isFilled(words)) return NOTHING;
  const code = joined(words);
  if (!code.text.includes(FETCHED)) return reader.code(code, run.input);
  reader.emit({ ...run, redirections: [], words: [{ ...code, text: FETCHED }] });
  return { kind: 'opaque' };
}

function source(reader: Reader, run: Run): Input {
  const output = reader.emit(run);
  const script = run.words[1];
  return script === undefined ? output : runFile(reader, run, script, output);
}

function trap(reader: Reader, run: Run): Input {
  const output = reader.emit(run);
  const words = run.words.slice(1).filter((word) => word.text !== '--');
  const [first] = words;
  if (first === undefined || words.length < 2 || /^-[lpP]?$/.test(first.text)) return output;
  return first.text === '' ? output : reader.code(first, NOTHING);
}

function alias(reader: Reader, run: Run): Input {
  for (const { text } of run.words.slice(1)) {
    const at = text.indexOf('=');
    if (at > 0) reader.scope.aliases.set(text.slice(0, at), text.slice(at + 1));
  }
  return plain(reader, run);
}

function set(reader: Reader, run: Run): Input {
  const args = run.words.slice(1).map((word) => word.text);
  const end = args.indexOf('--');
  if (end !== -1) reader.scope.positional = args.slice(end + 1);
  else if (args.length > 0 && !/^[-+]/.test(args[0] ?? '')) reader.scope.positional = args;
  if (
    args.some(
      (arg, index) => /^-[a-zA-Z]*C/.test(arg) || (arg === 'noclobber' && args[index - 1]?.startsWith('-') === true),
    )
  ) {
    reader.scope.noclobber = true;
  }
  if (
    args.some(
      (arg, index) => /^\+[a-zA-Z]*C/.test(arg) || (arg === 'noclobber' && args[index - 1]?.startsWith('+') === true),
    )
  ) {
    reader.scope.noclobber = false;
  }
  return plain(reader, run);
}

function declare(reader: Reader, run: Run): Input {
  const { scope } = reader;
  const flags = run.words
    .slice(1)
    .map(({ text }) => (/^-[a-zA-Z]+$/.test(text) ? text : ''))
    .join('');
  const exports = flags.includes('x') || run.words[0]?.text === 'export';
  const refers = flags.includes('n') && run.words[0]?.text !== 'export';
  for (const word of run.words.slice(1)) {
    const match = /^(\w+)(\[[\s\S]*?\])?(\+?)(?:=([\s\S]*))?$/.exec(word.text);
    if (match === null) continue;
    const [, name = '', subscript, append, value] = match;
    if (flags.includes('i')) scope.integers.add(name);
    if (flags.includes('A')) scope.keyed.add(name);
    if (subscript !== undefined) evaluateName(reader, { ...word, text: name + subscript });
    if (value === undefined) continue;
    // The variable is a reference to another one. Its value is looked up when it is used.
    if (refers) {
      evaluateName(reader, { ...word, text: value });
      scope.forget(name);
    } else if (append === '+') scope.append(name, value);
    else scope.set(name, value);
    if (scope.integers.has(name)) evaluateNumber(reader, { ...word, text: value });
    if (exports) reader.environment.push({ name, value, span: word.source.spanOf(word.pos, word.end) });
    runVariable(reader, name, { ...word, text: value });
  }
  return plain(reader, run);
}

/** Options of `read` and `mapfile` that take the next word. `-a` is not included, because its value is a name. */
const READ_VALUES = /^-[a-zA-Z]*[ptnNdiu]$/;
const MAPFILE_VALUES = /^-[a-zA-Z]*[dnOsucC]$/;

function forget(reader: Reader, run: Run): Input {
  const { input, words } = run;
  const { scope } = reader;
  const takesValue = words[0]?.text === 'read' ? READ_VALUES : MAPFILE_VALUES;
  const given = words.slice(1).filter(({ text }, at) => !text.startsWith('-') && !takesValue.test(words[at]?.text ?? '')); // prettier-ignore
  for (const word of given) evaluateName(reader, word);
  const names = given.filter(({ text }) => /^\w+$/.test(text));
  const single = names.length === 1 && input.kind === 'text' && words[0]?.text === 'read';
  for (const word of names) {
    const { text } = word;
    scope.functions.delete(text);
    if (single) scope.set(text, input.text.trim());
    else scope.forget(text);
    if (words[0]?.text === 'read' && scope.integers.has(text))
      evaluateNumber(reader, { ...word, text: single ? input.text.trim() : HOLE });
  }
  if (words[0]?.text === 'read' && names.length === 0) scope.forget('REPLY');
  return plain(reader, run);
}

/** Reads `let x=y+1`, which evaluates each of its words as arithmetic. */
function counts(reader: Reader, run: Run): Input {
  for (const word of run.words.slice(1)) evaluateNumber(reader, word);
  return plain(reader, run);
}

/** Evaluates the words after one of these options, which are names of variables. */
function named(reader: Reader, words: readonly Word[], option: RegExp): void {
  words.forEach((word, at) => {
    if (at > 1 && option.test(words[at - 1]?.text ?? '')) evaluateName(reader, word);
  });
}

function waits(reader: Reader, run: Run): Input {
  named(reader, run.words, /^-[a-z]*p$/);
  return plain(reader, run);
}

function tests(reader: Reader, run: Run): Input {
  named(reader, run.words, /^-[vR]$/);
  return plain(reader, run);
}

/** Reads text that runs later: `mapfile -C code`, `complete -C code`, `bind -x code`. */
function callback(reader: Reader, run: Run): Input {
  run.words.forEach((word, index) => {
    const next = run.words[index + 1];
    if (/^-[a-zA-Z]*[Cx]$/.test(word.text) && next !== undefined)
      reader.code({ ...next, text: next.text.replace(/^"[^"]*":/, '') }, NOTHING);
    const attached = /^-[a-zA-Z]*C([\s\S]+)$/.exec(word.text)?.[1];
    if (attached !== undefined) reader.code(word, NOTHING, attached);
    if (word.text === '-F' && next !== undefined) reader.code(next, NOTHING);
    // The shell expands the list of words again.
    if (word.text === '-W' && next !== undefined) evaluatePrompt(reader, next);
  });
  return forget(reader, run);
}

function printf(reader: Reader, run: Run): Input {
  const [program, first, next, ...rest] = run.words;
  const attached = /^-v(.+)$/s.exec(first?.text ?? '')?.[1];
  const isSeparate = first?.text === '-v';
  const name = attached !== undefined && first !== undefined ? { ...first, text: attached } : isSeparate ? next : undefined; // prettier-ignore
  if (program === undefined || name === undefined) return reader.emit(run);
  evaluateName(reader, name);
  const values = isSeparate ? rest : [...(next === undefined ? [] : [next]), ...rest];
  const output = reader.emit({ ...run, words: [program, ...values] });
  reader.scope.set(name.text, output.kind === 'text' ? output.text : HOLE);
  return NOTHING;
}

function hash(reader: Reader, run: Run): Input {
  if (run.words.some((word) => /^-[a-z]*p/.test(word.text))) {
    reader.gap('unresolved.hash', 'it assigns another program to a command', run);
  }
  return plain(reader, run);
}

/** Runs `rm f` for `jobs -x rm f`. */
function jobs(reader: Reader, run: Run): Input {
  const at = run.words.findIndex(({ text }) => /^-[a-z]*x$/.test(text));
  if (at !== -1) reader.run({ ...run, redirections: [], words: run.words.slice(at + 1) });
  return plain(reader, run);
}

/** Reads `enable -f ./x.so name`, which makes a command from the content of a file. */
function enable(reader: Reader, run: Run): Input {
  if (run.words.some(({ text }) => /^-[a-z]*f/.test(text)))
    reader.gap('unresolved.loaded', 'it runs commands from a file whose content is unknown here', run);
  return plain(reader, run);
}

/** Reads `fc`: `fc -s` repeats an earlier command, and `fc -e` runs the result of an editor. */
function repeat(reader: Reader, run: Run): Input {
  if (run.words.some(({ text }) => /^-[a-z]*[se]/.test(text)))
    reader.gap('unresolved.history', 'it runs an earlier command, which is unknown here', run);
  return plain(reader, run);
}

function shift(reader: Reader, run: Run): Input {
  reader.scope.positional = reader.scope.positional.slice(Number(run.words[1]?.text ?? 1) || 1);
  return NOTHING;
}

function plain(reader: Reader, run: Run): Input {
  reader.emit(run);
  return NOTHING;
}
