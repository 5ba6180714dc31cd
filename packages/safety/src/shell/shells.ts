import type { Input, Word } from './command.js';
import { isUnresolved, FETCHED } from './outputs.js';
import type { Reader, Run } from './reading.js';

export const SHELLS: ReadonlySet<string> = new Set([
  'sh',
  'bash',
  'dash',
  'ash',
  'zsh',
  'ksh',
  'mksh',
  'ksh93',
  'rbash',
  'fish',
  'csh',
  'tcsh',
  'posh',
  'yash',
  'hush',
  'elvish',
  'xonsh',
  'nu',
]);

const VALUES = new Set(['-o', '+o', '-O', '+O', '--rcfile', '--init-file']);

/** Reads a call of a shell: `bash -c code`, `bash file`, `… | bash`. */
export function runShell(reader: Reader, run: Run, name: string): Input {
  const output = reader.emit(run);
  const args = run.words.slice(1);
  let at = 0;
  let code = false;
  let reads = false;
  for (; at < args.length; at += 1) {
    const text = args[at]?.text ?? '';
    if (text === '--' || text === '-') {
      at += 1;
      break;
    }
    if (!/^[-+]/.test(text)) break;
    if (/^--(version|help)$/.test(text) && !code) return output;
    if (isDry(text, name)) return output; // The shell reads the text but runs nothing.
    // The last letter of a cluster may take the next word, as in `-euo pipefail`.
    if (/^--(rcfile|init-file)(=|$)/.test(text)) startFile(reader, run, args, at);
    if (VALUES.has(text) || /^[-+][a-zA-Z]+[oO]$/.test(text)) at += 1;
    else if (text === '--command' || text === '--commands' || /^-[a-zA-Z]*c[a-zA-Z]*$/.test(text)) code = true;
    else if (/^-[a-zA-Z]*s/.test(text)) reads = true;
  }
  const script = args[at];
  if (code) return script === undefined ? output : runCode(reader, run, script, args.slice(at + 1));
  if (script !== undefined && !reads && script.text !== '/dev/stdin') return runFile(reader, run, script, output);
  return runInput(reader, run, args.slice(at));
}

/** Reads a startup file. `bash --rcfile <(…)` runs that text before anything else. */
function startFile(reader: Reader, run: Run, args: readonly Word[], at: number): void {
  const [, attached] = /^--[\w-]+=([\s\S]*)$/.exec(args[at]?.text ?? '') ?? [];
  const next = args[at + 1];
  const given = args[at];
  const word = attached === undefined || given === undefined ? next : { ...given, text: attached };
  if (word === undefined || /^(~|\/root|\/home\/[^/]+)\/\.\w*(rc|profile)$/.test(word.text)) return;
  if (word.process === undefined && !reader.written.has(word.text)) unknownStart(reader, word);
  else runFile(reader, run, word, { kind: 'none' });
}

/** Records a file that a shell runs when it starts. The system's own startup files count as known. */
export function unknownStart(reader: Reader, word: Word): void {
  if (/^\/(etc|usr|opt)\/|^\/dev\/null$/.test(word.text)) return;
  reader.gap('unresolved.startup-file', 'a starting shell runs that file, whose content is unknown here', word);
}

/** Whether an option is or contains `-n`. `-norc` is a different option. */
const isDry = (option: string, shell: string): boolean =>
  shell !== 'fish' && /^-[a-zA-Z]*n[a-zA-Z]*$/.test(option) && !/^-(norc|noprofile|noediting|login)$/.test(option);

/** Runs shell text in a word, with the words after it as $0, $1, … */
function runCode(reader: Reader, run: Run, code: Word, rest: readonly Word[]): Input {
  if (code.text.includes(FETCHED)) {
    reader.emit({ ...run, redirections: [], words: [{ ...code, text: FETCHED }] });
    return { kind: 'opaque' };
  }
  const { positional, self } = reader.scope;
  reader.scope.positional = rest.slice(1).map((word) => word.text);
  reader.scope.self = rest[0]?.text ?? self;
  const output = reader.code(code, run.input);
  reader.scope.positional = positional;
  reader.scope.self = self;
  return output;
}

/** Reads a shell that runs its input. */
export function runInput(reader: Reader, run: Run, rest: readonly Word[]): Input {
  const { input } = run;
  switch (input.kind) {
    case 'none':
      return { kind: 'none' };
    case 'text': {
      if (input.text.includes(FETCHED)) return fetched(reader, run);
      const before = reader.scope.positional;
      reader.scope.positional = rest.map((word) => word.text);
      const output = reader.code(input.word, { kind: 'none' }, input.text);
      reader.scope.positional = before;
      return output;
    }
    case 'fetched':
      return fetched(reader, run);
    case 'file':
    case 'endless':
    case 'opaque':
    default:
      reader.gap('unresolved.piped-code', 'a shell runs its input, which is unknown here', run);
      return { kind: 'opaque' };
  }
}

function fetched(reader: Reader, run: Run): Input {
  const [first] = run.words;
  if (first !== undefined) reader.emit({ ...run, redirections: [], words: [{ ...first, text: FETCHED }] });
  return { kind: 'opaque' };
}

/**
 * Reads a shell that runs a file: `bash file`, `source file`. The content of the file is unknown, unless this text
 * wrote it.
 */
export function runFile(reader: Reader, run: Run, script: Word, output: Input): Input {
  const { process, text } = script;
  if (text === '/dev/stdin' || text === '/proc/self/fd/0') return runInput(reader, run, []);
  if (process !== undefined) return runInput(reader, { ...run, input: process.input }, []);
  if (text.includes(FETCHED)) return fetched(reader, run);
  if (/^\/(dev|proc\/self)\/fd\/\d+$/.test(text))
    reader.gap('unresolved.script', 'it is unknown which script runs', run);
  const written = reader.written.get(text);
  if (written !== undefined) return reader.code(written.word, run.input, written.text);
  if (isUnresolved(text) && !text.includes('/'))
    reader.gap('unresolved.script', 'it is unknown which script runs', run);
  return output;
}
