import { HOLE, isFilled, joined, type Input } from './command.js';
import { runVariable } from './environment.js';
import type { Reader, Run } from './reading.js';
import { FETCHED } from './outputs.js';
import { runFile } from './shells.js';

type Builtin = (reader: Reader, run: Run) => Input;
const NOTHING: Input = { kind: 'none' };

/** What the shell does itself, and what that changes for the commands after it. */
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
  ['shift', shift],
  ['complete', callback],
  ['compgen', callback],
  ['bind', callback],
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
  for (const word of run.words.slice(1)) {
    const match = /^(\w+)(\+?)=([\s\S]*)$/.exec(word.text);
    if (match === null) continue;
    const [, name = '', append, value = ''] = match;
    // Another name for a variable: what that holds is looked up when it is used.
    if (run.words.some(({ text }) => /^-[a-zA-Z]*n/.test(text)) && run.words[0]?.text !== 'export')
      reader.scope.forget(name);
    else if (append === '+') reader.scope.append(name, value);
    else reader.scope.set(name, value);
    runVariable(reader, name, { ...word, text: value });
  }
  return plain(reader, run);
}

function forget(reader: Reader, run: Run): Input {
  const { input } = run;
  const names = run.words.slice(1).filter((word) => /^\w+$/.test(word.text));
  const single = names.length === 1 && input.kind === 'text' && run.words[0]?.text === 'read';
  for (const { text } of names) {
    reader.scope.functions.delete(text);
    if (single) reader.scope.set(text, input.text.trim());
    else reader.scope.forget(text);
  }
  if (run.words[0]?.text === 'read' && names.length === 0) reader.scope.forget('REPLY');
  return plain(reader, run);
}

/** `mapfile -C code`, `complete -C code`, `bind -x code`: text that runs later. */
function callback(reader: Reader, run: Run): Input {
  run.words.forEach((word, index) => {
    const next = run.words[index + 1];
    if (/^-(C|x)$/.test(word.text) && next !== undefined)
      reader.code({ ...next, text: next.text.replace(/^"[^"]*":/, '') }, NOTHING);
  });
  return forget(reader, run);
}

function printf(reader: Reader, run: Run): Input {
  const [, first, name, ...values] = run.words;
  if (first?.text !== '-v' || name === undefined) return reader.emit(run);
  const output = reader.emit({ ...run, words: [run.words[0] ?? name, ...values] });
  reader.scope.set(name.text, output.kind === 'text' ? output.text : HOLE);
  return NOTHING;
}

function hash(reader: Reader, run: Run): Input {
  if (run.words.some((word) => /^-[a-z]*p/.test(word.text))) {
    reader.gap('unresolved.hash', 'it gives a command another program', run);
  }
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
