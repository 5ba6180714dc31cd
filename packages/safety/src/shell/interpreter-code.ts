import type { Snippet, Word } from './command.js';
import { embedded } from './embedded.js';
import { INTERPRETERS, interpreterName, type Interpreter } from './interpreters.js';
import { FETCHED } from './outputs.js';
import type { Reader, Run } from './reading.js';
import { snippetsIn } from './snippet.js';

/** Returns the code that an interpreter gets from its options, its operands or its input. */
export function snippetsOf(reader: Reader, run: Run, name: string): readonly Snippet[] {
  const interpreter = INTERPRETERS.get(interpreterName(name));
  if (interpreter === undefined) return [];
  const module = interpreter.language === 'python' ? moduleAt(run.words) : null;
  // The options after the name of a module belong to the module.
  const own = module === null ? run.words : run.words.slice(0, run.words.length - module.length);
  const { words, operands } = codeWords(own.slice(1), interpreter);
  const code = [...words];
  if (interpreter.operand !== undefined && (words.length === 0 || interpreter.operand > 0)) {
    code.push(
      ...operands.slice(
        interpreter.operand,
        interpreter.operand === 0 && !hasFile(run, interpreter) ? 1 : interpreter.operand === 0 ? 0 : undefined,
      ),
    );
  }
  // Windows PowerShell takes a command without -Command.
  if (interpreter.language === 'powershell' && words.length === 0 && /\s|^[A-Z]\w+-\w+/.test(operands[0]?.text ?? ''))
    code.push(...operands);
  if (interpreter.language === 'powershell' && run.words.some(({ text }) => /^[-/](e|ec|en|enc\w*)$/i.test(text)))
    reader.gap('unresolved.encoded-code', 'it runs code that is encoded here', run);
  const unnamed =
    operands.length === 0 ||
    operands[0]?.text === '-' ||
    operands[0]?.text === '/dev/stdin' ||
    interpreter.language === 'sql';
  const isModule =
    module !== null || (interpreter.language !== 'python' && run.words.some(({ text }) => text === '-m'));
  if (
    code.length === 0 &&
    interpreter.reads &&
    (unnamed || /^(mongo|redis|ed)$/.test(interpreter.language)) &&
    !isModule
  )
    code.push(...inputCode(reader, run, interpreter));
  // The output of the substitution is the program: `awk -f <(…)`.
  run.words.forEach((word, at) => {
    if (!/^(-f|--file|-E|--exec|-init)$/.test(run.words[at - 1]?.text ?? '')) return;
    if (word.process?.operator === '<')
      code.push(...inputCode(reader, { ...run, input: word.process.input }, interpreter));
    else if (/^(-|\/dev\/stdin)$/.test(word.text) && /^(awk|sed)$/.test(interpreter.language))
      code.push(...inputCode(reader, run, interpreter));
  });
  const script = operands[0];
  if (words.length === 0 && script?.process?.operator === '<')
    code.push(...inputCode(reader, { ...run, input: script.process.input }, interpreter));
  const written = script === undefined || words.length > 0 ? undefined : reader.written.get(script.text);
  const texts = code.flatMap((word) => snippetsIn(interpreter.language, word.text, word));
  if (written !== undefined) texts.push(...snippetsIn(interpreter.language, written.text, written.word));
  if (texts.some(({ text }) => text.includes(FETCHED)) && interpreter.language !== 'sql') {
    const [first] = run.words;
    if (first !== undefined) reader.emit({ ...run, redirections: [], words: [{ ...first, text: FETCHED }] });
  }
  if (module !== null && words.length === 0) runModule(reader, run, module);
  return embedded(reader, texts);
}

/** Reads a module that runs as a program: `python -m pip uninstall x` runs pip. */
function runModule(reader: Reader, run: Run, words: readonly Word[]): void {
  const [name, ...rest] = words;
  const code = MODULES_OF_CODE[name?.text ?? ''];
  if (name !== undefined && code !== undefined) {
    for (const word of code(rest)) reader.run(pythonOf(word, '-c', { kind: 'none' }));
    if (run.input.kind !== 'none' && name.text !== 'timeit') reader.run(pythonOf(name, '-', run.input));
  }
  if (words.length > 0 && name?.text !== 'timeit') reader.run({ ...run, redirections: [], words });
}

/** Modules of Python that run code, each with the words that are code. All except timeit read more code from stdin. */
const MODULES_OF_CODE: Readonly<Record<string, (words: readonly Word[]) => readonly Word[]>> = {
  // Every word that is not an option is a statement: `python -m timeit -s 'import os' 'os.remove("a")'`.
  timeit: (words) => words.filter(({ text }) => !text.startsWith('-') && !/^\d+$/.test(text)),
  // A text that is not a debugger command is a statement: `python -m pdb -c 'import os; os.remove("a")' x.py`.
  pdb: (words) =>
    words.flatMap((word, at) => {
      if (/^(-c|--command)$/.test(words[at - 1]?.text ?? '')) return [word];
      const [, attached] = /^(?:-c|--command=)([\s\S]+)$/.exec(word.text) ?? [];
      return attached === undefined ? [] : [{ ...word, text: attached }];
    }),
  code: () => [],
  asyncio: () => [],
};

function pythonOf(word: Word, how: '-c' | '-', input: Run['input']): Run {
  const { source, pos, end } = word;
  const words = [{ ...word, text: 'python3' }, { ...word, text: how }, ...(how === '-c' ? [word] : [])];
  return { words, redirections: [], input, source, pos, end };
}

/** Returns the words from the name of the module on: `-m x`, `-Im x`, `-mx`. */
function moduleAt(words: readonly Word[]): readonly Word[] | null {
  const at = words.findIndex(({ text }, index) => index > 0 && /^(-[bBdEhiIOPqsSuvVx]*m|[^-])/.test(text));
  const word = words[at];
  const [, attached] = /^-[bBdEhiIOPqsSuvVx]*m([\s\S]*)$/.exec(word?.text ?? '') ?? [];
  if (word === undefined || attached === undefined) return null;
  return attached === '' ? words.slice(at + 1) : [{ ...word, text: attached }, ...words.slice(at + 1)];
}

function inputCode(reader: Reader, run: Run, { language }: Interpreter): readonly Word[] {
  const { input } = run;
  if (input.kind === 'text') return [{ ...input.word, text: input.text }];
  // Rules check the input of these languages.
  if (input.kind === 'none' || language === 'sql' || language === 'mongo' || language === 'redis') return [];
  const [first] = run.words;
  if (input.kind === 'fetched' && first !== undefined)
    reader.emit({ ...run, redirections: [], words: [{ ...first, text: FETCHED }] });
  else reader.gap('unresolved.piped-code', 'an interpreter runs its input, which is unknown here', run);
  return [];
}

function codeWords(
  args: readonly Word[],
  { code, values = '', language }: Interpreter,
): { words: Word[]; operands: Word[] } {
  const codes = code.split(' ').filter((option) => option !== '');
  const takes = new Set(values.split(' '));
  const words: Word[] = [];
  const operands: Word[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    if (word === undefined) break;
    const { text } = word;
    const next = args[at + 1];
    if (text === '--') {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (language === 'vim' && /^\+\D/.test(text)) {
      words.push({ ...word, text: text.slice(1) });
      continue;
    }
    const [name = ''] = text.split('=', 1);
    const long = text.includes('=') ? codes.find((option) => isBeginning(name, option)) : undefined;
    const attached = codes.find((option) => /^-[a-zA-Z]$/.test(option) && text.startsWith(option) && text.length > 2);
    const ends = codes.some(
      (option) =>
        isBeginning(text, option) ||
        (/^-[a-zA-Z]$/.test(option) && /^-[a-zA-Z0-9.]+$/.test(text) && text.endsWith(option.slice(1))),
    );
    if (long !== undefined) words.push({ ...word, text: text.slice(name.length + 1) });
    else if (ends && operands.length === 0) {
      if (next !== undefined) words.push(next);
      at += 1;
    } else if (ends && codes.includes(text)) {
      if (next !== undefined) words.push(next);
      at += 1;
    } else if (attached !== undefined && !text.startsWith('--')) words.push({ ...word, text: text.slice(2) });
    else if (takes.has(text)) at += 1;
    else if (!text.startsWith('-') || text === '-') operands.push(word);
  }
  return { words, operands };
}

/** Whether a text abbreviates an option: `--expr` is `--expression`. */
const isBeginning = (text: string, option: string): boolean =>
  text === option || (/^--\w\w/.test(text) && option.startsWith(text));

/** Whether the program is in a file: `awk -f file`, `sed -f file`. The first operand is then not code. */
function hasFile(run: Run, interpreter: Interpreter): boolean {
  return interpreter.operand === 0 && run.words.some(({ text }) => /^(-f|--file)/.test(text));
}
