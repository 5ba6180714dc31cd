import type { Input, Word } from './command.js';
import type { Reader, Run } from './reading.js';

const NOTHING: Input = { kind: 'none' };

/**
 * Reads `make`. Its makefile comes from the input or from a file that this text wrote. The values of its variables are
 * read too.
 */
export function recipes(reader: Reader, run: Run): Input {
  const output = reader.emit(run);
  if (run.words.some(({ text }) => /^--(help|version)$/.test(text))) return output;
  const isDry = run.words.some(({ text }) =>
    /^(-[a-zA-Z]*[nq][a-zA-Z]*|--just-print|--dry-run|--recon|--question)$/.test(text),
  );
  const files = run.words.flatMap(({ text }, at) =>
    /^(-[a-zA-Z]*f|--file|--makefile)$/.test(run.words[at - 1]?.text ?? '')
      ? [text]
      : (/^--(?:make)?file=(.+)$/.exec(text)?.slice(1) ?? []),
  );
  const reads = files.some((file) => /^(-|\/dev\/stdin)$/.test(file));
  const inputs = [...(reads ? [run.input] : []), ...run.words.flatMap(({ process }) => process?.input ?? [])];
  for (const file of files.length === 0 ? ['Makefile', 'makefile', 'GNUmakefile'] : files) {
    const written = reader.written.get(file);
    if (written !== undefined) inputs.push({ kind: 'text', ...written });
  }
  for (const input of inputs) if (input.kind === 'text') readMakefile(reader, input, isDry);
  if (reads && run.input.kind !== 'text')
    reader.gap('unresolved.piped-code', 'make runs its input, which is unknown here', run);
  run.words.forEach((word, at) => {
    if (at === 0) return;
    const [, name = '', value = ''] = /^(?:--eval=)?(\w+)(?:::?|\+|\?|!)?=([\s\S]*)$/.exec(word.text) ?? [];
    // `SHELL` is the program that runs the recipes. All other variables may become part of recipes.
    readFunctions(reader, word, value);
    if (!isDry && (name === 'SHELL' || /[;&|`]|\$\(|\brm\b/.test(value))) reader.guess(word, value);
    readAdded(reader, word, isDry);
    if (run.words[at - 1]?.text === '-E' || run.words[at - 1]?.text === '--eval')
      readMakefile(reader, { kind: 'text', text: word.text, word }, isDry);
  });
  return output;
}

/** Reads functions, which make runs even if it only shows its recipes: `$(shell rm x)`, `$(file >x)`. */
export function readFunctions(reader: Reader, word: Word, text: string): void {
  for (const [, code = ''] of text.matchAll(/\$\(shell\s+([^()]*)\)/g)) reader.code(word, NOTHING, code);
  for (const [, target = ''] of text.matchAll(/\$\(file\s+(>>?[^(),]+)/g)) reader.code(word, NOTHING, `: ${target}`);
}

function readAdded(reader: Reader, word: Word, isDry: boolean): void {
  const added = /^(?:--eval=|-E(?=.)|MAKEFLAGS=--eval=)([\s\S]+)$/.exec(word.text)?.[1];
  if (added !== undefined) readMakefile(reader, { kind: 'text', text: added, word }, isDry);
}

/** Reads the commands in a makefile: lines that begin with a tab, the text after `target:;`, and `$(shell …)`. */
function readMakefile(reader: Reader, { text, word }: Extract<Input, { kind: 'text' }>, isDry: boolean): void {
  for (const line of text.split('\n')) {
    const recipe = line.startsWith('\t') ? line.slice(1) : /^[^\s:=#][^:=#]*::?(?!=)[^;=]*;(.*)$/.exec(line)?.[1];
    // Although `make -n` runs no recipes, it still runs those that begin with + or call make.
    const runs = !isDry || /^\s*[@-]*\+|\$[({]MAKE[)}]/.test(recipe ?? '');
    if (recipe !== undefined && runs)
      reader.code(word, NOTHING, recipe.replace(/^\s*[@+-]*/, '').replaceAll('$$', '$'));
    readFunctions(reader, word, line);
    if (/^\s*(-|s)?include\s+\S/.test(line))
      reader.gap('unresolved.included', 'make reads another file, whose content is unknown here', word);
  }
}
