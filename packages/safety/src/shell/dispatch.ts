import { BUILTINS } from './builtins.js';
import { HOLE, baseName, isFilled, joined, type Input, type Word } from './command.js';
import { readCodeOptions } from './code-options.js';
import { runVariable } from './environment.js';
import { withLongOptions } from './long-options.js';
import { snippetsOf } from './interpreter-code.js';
import { isInterpreter } from './interpreters.js';
import { FETCHED, isUnresolved } from './outputs.js';
import type { Reader, Run } from './reading.js';
import { SHELLS, runInput, runShell } from './shells.js';
import { SPECIAL, sshCommands } from './special.js';
import { unwrap, type Unwrapped } from './unwrap.js';
import { NESTED, WRAPPERS, type Wrapper } from './wrappers.js';

const NOTHING: Input = { kind: 'none' };

/** Runs the words of a simple command: finds what they run in the end, and passes that to the reader. */
export function dispatch(reader: Reader, asTyped: Run): Input {
  const [first] = asTyped.words;
  if (first === undefined) return NOTHING;
  const { text } = first;
  const run = { ...asTyped, words: withLongOptions(baseName(text), asTyped.words) };
  const alias = reader.scope.aliases.get(text);
  if (alias !== undefined && !reader.running.includes(`alias ${text}`)) return expandAlias(reader, run, text, alias);
  if (reader.scope.functions.has(text)) return callFunction(reader, run, text);
  const name = nameOf(first);
  if (name === null) return unresolvedName(reader, run, first);
  const scripted = /^\/etc\/(init|rc)\.d\/[^/]+$/.test(text) ? { ...first, text: 'service' } : null;
  if (scripted !== null)
    return reader.emit({ ...run, words: [scripted, { ...first, text: name }, ...run.words.slice(1)] });
  const read = BUILTINS.get(name) ?? SPECIAL.get(name);
  if (read !== undefined) return read(reader, run);
  if (SHELLS.has(name)) return runShell(reader, run, name);
  // For a shell, this link points to the shell itself.
  if (/^\/proc\/(self|thread-self|\d+)\/exe$/.test(text)) return runShell(reader, run, 'bash');
  // `runuser -u bob cmd` runs words, but `runuser bob -c text` runs a shell.
  const asSu = name === 'runuser' && !run.words.some(({ text: word }) => /^(-u|--user)/.test(word));
  const wrapper = WRAPPERS.get(asSu ? 'su' : name);
  if (wrapper !== undefined) return runWrapped(reader, run, run.words, wrapper);
  const nested = NESTED.get(name);
  if (nested !== undefined) {
    const found = subcommand(run.words, nested);
    if (found !== null) return runWrapped(reader, run, run.words.slice(found.at), found.wrapper);
  }
  const written = reader.written.get(text.replace(/^\.\//, '')) ?? reader.written.get(text);
  if (written !== undefined && text.includes('/')) reader.code(written.word, run.input, written.text);
  const snippets = snippetsOf(reader, run, name);
  readCodeOptions(reader, run, name, isInterpreter(name));
  return reader.emit(run, snippets);
}

/** Returns the name of the command without its folder, or null if the text does not show it. */
function nameOf(word: Word): string | null {
  const name = baseName(word.text);
  if (name === '' || isUnresolved(name) || /\uE001/.test(name)) return null;
  // A program name contains no spaces, so the shell and this reader must have split the words differently.
  if (/\s/.test(name) && !word.text.includes('/')) return null;
  return word.glob && /[*?[(]/.test(name) ? null : name;
}

function unresolvedName(reader: Reader, run: Run, first: Word): Input {
  const fetched = first.text.includes(FETCHED);
  reader.emit({ ...run, words: fetched ? [{ ...first, text: FETCHED }] : [] });
  if (!fetched) reader.gap('unresolved.command-name', 'the command itself is known only when it runs', run);
  return { kind: 'opaque' };
}

function expandAlias(reader: Reader, run: Run, name: string, alias: string): Input {
  const [first, ...rest] = run.words;
  if (first === undefined) return NOTHING;
  reader.running.push(`alias ${name}`);
  const text = [alias, ...rest.map((word) => quote(word.text))].join(' ');
  const output = reader.code({ ...first, text, end: run.end }, run.input, text);
  reader.running.pop();
  return output;
}

function callFunction(reader: Reader, run: Run, name: string): Input {
  const { words, ...rest } = run;
  if (run.redirections.length > 0) reader.emit({ ...rest, words: [] });
  if (reader.running.includes(name)) {
    const [first] = words;
    // A function that starts itself in the background or in a pipe multiplies until the machine is exhausted.
    if (first !== undefined)
      reader.emit({ ...rest, redirections: [], words: [{ ...first, text: `${name} calls itself` }] });
    return NOTHING;
  }
  return reader.call(
    name,
    words.slice(1).map((word) => word.text),
    run.input,
    run,
  );
}

/** Reads the command that a wrapper runs. `words[0]` is the last word that belongs to the wrapper's name. */
function runWrapped(reader: Reader, run: Run, words: readonly Word[], wrapper: Wrapper): Input {
  const inner = withEntrypoint(unwrap(words, wrapper), words);
  const output = reader.emit(run); // A rule may look for the wrapper itself.
  for (const word of inner.assignments) {
    const at = word.text.indexOf('=');
    const [variable, value] = [word.text.slice(0, at), word.text.slice(at + 1)];
    reader.scope.set(variable, value);
    reader.environment.push({ name: variable, value, span: word.source.spanOf(word.pos, word.end) });
    runVariable(reader, variable, { ...word, text: value });
  }
  let last: Input | null = null;
  const [code] = inner.code;
  const isEnv = baseName(words[0]?.text ?? '') === 'env';
  // `env -S "a b" c` runs `a b c`.
  if (isEnv && code !== undefined)
    return reader.code({ ...code, text: [code, ...inner.words].map(({ text }) => text).join(' ') }, run.input);
  for (const word of inner.code) last = reader.code(word, run.input);
  if (/^(auto)?ssh$/.test(baseName(words[0]?.text ?? '')))
    for (const { word, text } of sshCommands(words)) reader.code(word, { kind: 'none' }, text);
  if (inner.words.length === 0) {
    const opensShell =
      OPENS_SHELL.has(baseName(words[0]?.text ?? '')) &&
      !words.some(({ text }) => /^(-l|-v|-G|-V|-Q|-O|-k|-K|--list|--version)$/.test(text));
    if (last === null && opensShell && run.input.kind !== 'none')
      return runInput(reader, { ...run, redirections: [] }, []);
    return last ?? output;
  }
  const rest = { ...run, redirections: [] };
  if (!inner.joins) {
    const [only] = inner.words;
    if (only === undefined) return output;
    const added = inner.adds ? [{ ...only, text: HOLE, glob: false }] : [];
    // `docker run image` and `ssh host` may precede options of the wrapper. A word that begins with - is not a command.
    if (only.text.startsWith('-')) return output;
    return reader.run({ ...rest, words: inner.adds ? [...inner.words.map(withHole(words)), ...added] : inner.words });
  }
  return isFilled(inner.words) ? reader.code(joined(inner.words), run.input) : output;
}

/**
 * Returns the words with the entrypoint first. For `docker run --entrypoint sh image -c …`, the command is the
 * entrypoint plus the words after the image.
 */
function withEntrypoint(inner: Unwrapped<Word>, words: readonly Word[]): Unwrapped<Word> {
  const at = words.findIndex(({ text }) => /^--entrypoint(=|$)/.test(text));
  const word = words[at];
  if (word === undefined) return inner;
  const entrypoint = word.text.includes('=')
    ? { ...word, text: word.text.slice('--entrypoint='.length) }
    : words[at + 1];
  return entrypoint === undefined || entrypoint.text === '' ? inner : { ...inner, words: [entrypoint, ...inner.words] };
}

/** Programs that start a shell if no command is given. The shell runs its input. */
const OPENS_SHELL = new Set([
  'ssh',
  'su',
  'sudo',
  'doas',
  'chroot',
  'nsenter',
  'unshare',
  'runuser',
  'pkexec',
  'sshpass',
  'autossh',
  'fakeroot',
]);

/** Replaces the marker of `xargs -I{} cmd {}` by a hole, because xargs fills in the text that it reads. */
function withHole(words: readonly Word[]): (word: Word) => Word {
  const at = words.findIndex(({ text }) => /^(-I|-i|--replace)/.test(text));
  const option = words[at]?.text ?? '';
  const attached = option.replace(/^(-I|-i|--replace=?)/, '');
  const mark = at === -1 ? '' : attached || (option === '-I' ? (words[at + 1]?.text ?? '{}') : '{}');
  return (word) =>
    mark !== '' && word.text.includes(mark) ? { ...word, text: word.text.replaceAll(mark, HOLE) } : word;
}

/** Returns the longest subcommand of `table` that `words` name, without the options between them. */
function subcommand(
  words: readonly Word[],
  table: Readonly<Record<string, Wrapper>>,
): { at: number; wrapper: Wrapper } | null {
  const empty = table[''];
  let best: { at: number; wrapper: Wrapper } | null = empty === undefined ? null : { at: 0, wrapper: empty };
  if (Object.keys(table).length === 1 && best !== null) return best;
  let path = '';
  for (let at = 1, seen = 0; at < words.length && seen < 3; at += 1) {
    const text = words[at]?.text ?? '';
    if (text === '--') break;
    if (text.startsWith('-')) {
      if (!text.includes('=') && GLOBAL_VALUES.test(text)) at += 1;
      continue;
    }
    path = path === '' ? text : `${path} ${text}`;
    seen += 1;
    const wrapper = Object.hasOwn(table, path) ? table[path] : undefined;
    if (wrapper !== undefined) best = { at, wrapper };
    else if (!Object.keys(table).some((key) => key.startsWith(`${path} `))) break;
  }
  return best;
}

/** Options before the subcommand that take the next word, for the programs in NESTED. */
const GLOBAL_VALUES =
  /^(-H|-c|-l|-n|-f|-p|-s|-C|--host|--context|--config|--log-level|--namespace|--kubeconfig|--cluster|--user|--project|--profile|--file|--project-name|--project-directory|--env-file|--ansi|--server|--directory|--git-dir|--work-tree|--cwd|--prefix|--filter|--zone)$/;

const quote = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
