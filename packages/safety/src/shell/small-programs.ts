import type { Input } from './command.js';
import type { Reader, Run } from './reading.js';

/** Reads the input of dc and bc: a line that begins with ! is for the shell, as in `dc -e '!rm f'`. */
export function calculator(reader: Reader, run: Run): Input {
  const texts = run.words.flatMap((word, at) =>
    /^(-e|--expression)$/.test(run.words[at - 1]?.text ?? '') || /^(-e.|--expression=)/.test(word.text) ? [word] : [],
  );
  if (run.input.kind === 'text') texts.push({ ...run.input.word, text: run.input.text });
  for (const word of texts)
    for (const [, code = ''] of word.text.matchAll(/!(?![<>=])([^\n]+)/g)) reader.code(word, { kind: 'none' }, code);
  return reader.emit(run);
}

/** Reads macros of rpm, which can run a shell: `rpm --eval '%(rm f)'`. The value of `--pipe` is a command. */
export function macros(reader: Reader, run: Run): Input {
  run.words.forEach((word, at) => {
    if (at === 0) return;
    for (const [, code = ''] of word.text.matchAll(/%\(((?:[^()]|\([^()]*\))*)\)/g))
      reader.code(word, { kind: 'none' }, code);
    const piped = /^--pipe=([\s\S]+)$/.exec(word.text)?.[1];
    if (piped !== undefined) reader.code(word, { kind: 'none' }, piped);
    else if (run.words[at - 1]?.text === '--pipe') reader.code(word, { kind: 'none' });
  });
  return reader.emit(run);
}

/** Reads `pidstat -e program`, which runs the program. */
export function watched(reader: Reader, run: Run): Input {
  const at = run.words.findIndex(({ text }) => /^-[a-zA-Z]*e$/.test(text));
  const output = reader.emit(run);
  return at === -1 ? output : reader.run({ ...run, redirections: [], words: run.words.slice(at + 1) });
}

/** Reads `ts`, which adds the time to lines or queues a command. A time format contains a `%`. */
export function spooler(reader: Reader, run: Run): Input {
  const at = run.words.findIndex(({ text }, index) => index > 0 && !text.startsWith('-'));
  const output = reader.emit(run);
  if (at === -1 || (run.words[at]?.text ?? '').includes('%')) return output;
  return reader.run({ ...run, redirections: [], words: run.words.slice(at) });
}
