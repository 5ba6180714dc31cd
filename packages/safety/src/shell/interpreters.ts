import type { Language, Snippet, Word } from './command.js';
import { embedded } from './embedded.js';
import { FETCHED } from './outputs.js';
import type { Reader, Run } from './reading.js';
import { snippetsIn } from './snippet.js';

interface Interpreter {
  readonly language: Language;
  /** Options whose value is code; a short one may end a cluster (`-pe`). */
  readonly code: string;
  /** Options that take the next word. */
  readonly values?: string;
  /** It runs what it reads when no file and no code is named. */
  readonly reads: boolean;
  /** This operand, counted from 0, and those after it are code. */
  readonly operand?: number;
}

const SQL: Interpreter = {
  language: 'sql',
  code: '-c --command -e --execute -q -Q --query --sql -execute',
  reads: true,
};

const INTERPRETERS: ReadonlyMap<string, Interpreter> = new Map<string, Interpreter>(
  Object.entries({
    python: { language: 'python', code: '-c', values: '-W -X -m', reads: true },
    node: {
      language: 'javascript',
      code: '-e --eval -p --print',
      values: '-r --require --import --input-type -C',
      reads: true,
    },
    bun: { language: 'javascript', code: '-e --eval -p --print', reads: false },
    deno: { language: 'javascript', code: 'eval', reads: false },
    perl: { language: 'perl', code: '-e -E', values: '-I -M', reads: true },
    ruby: { language: 'ruby', code: '-e', values: '-r -I', reads: true },
    php: { language: 'php', code: '-r -B -R -E --run', values: '-d -c', reads: true },
    lua: { language: 'lua', code: '-e', values: '-l', reads: false },
    Rscript: { language: 'r', code: '-e', reads: false },
    R: { language: 'r', code: '-e', reads: true },
    awk: {
      language: 'awk',
      code: '-e --source',
      values: '-F -v -f -i --field-separator --assign --file',
      reads: false,
      operand: 0,
    },
    sed: {
      language: 'sed',
      code: '-e --expression',
      values: '-f -l --file --line-length',
      reads: false,
      operand: 0,
    },
    psql: {
      ...SQL,
      code: '-c --command',
      values: '-h -p -U -d -f -v -o -L -F -R -T -P --host --port --username --dbname --file --set --variable --output',
    },
    mysql: { ...SQL, code: '-e --execute', values: '-h -P -u -D -S --host --port --user --database --socket' },
    sqlite3: { ...SQL, code: '-cmd', values: '-separator -nullvalue -newline -init -mmap', operand: 1 },
    duckdb: { ...SQL, code: '-c -s -cmd', operand: 1 },
    'clickhouse-client': { ...SQL, code: '-q --query', values: '-h --host --port -u --user --password -d --database' },
    cqlsh: { ...SQL, code: '-e --execute' },
    sqlcmd: { ...SQL, code: '-Q -q', values: '-S -U -P -d -i -o' },
    cockroach: { ...SQL, code: '-e --execute' },
    influx: { ...SQL, code: '-execute', values: '-database -host -port' },
    surreal: { ...SQL, code: '' },
    iredis: { language: 'redis', code: '', reads: true },
    usql: { ...SQL, code: '-c --command' },
    sqlplus: SQL,
    pgcli: SQL,
    isql: SQL,
    bq: { ...SQL, operand: 1 },
    mongosh: {
      language: 'mongo',
      code: '--eval',
      values: '--host --port -u -p --username --password --file -f',
      reads: true,
    },
    arangosh: { language: 'mongo', code: '--javascript.execute-string', reads: true },
    'redis-cli': { language: 'redis', code: '', reads: true },
    pwsh: { language: 'powershell', code: '-c -Command -command -CommandWithArgs', reads: true },
    osascript: { language: 'applescript', code: '-e', reads: true },
    vim: { language: 'vim', code: '-c --cmd', reads: false },
    ed: { language: 'ed', code: '', reads: true },
    gdb: {
      language: 'gdb',
      code: '-ex -eval-command --ex --eval-command -iex --iex -ix --init-eval-command',
      reads: false,
    },
    tclsh: { language: 'other', code: '', reads: true },
    expect: { language: 'other', code: '-c', reads: true },
    julia: { language: 'other', code: '-e -E', reads: true },
    jshell: { language: 'other', code: '', reads: true },
    elixir: { language: 'other', code: '-e --eval', reads: false },
    groovy: { language: 'other', code: '-e', reads: false },
    guile: { language: 'other', code: '-c', reads: true },
    ghc: { language: 'other', code: '-e', reads: false },
    erl: { language: 'other', code: '-eval', reads: false },
    swift: { language: 'other', code: '-e', reads: false },
    racket: { language: 'other', code: '-e --eval', reads: false },
    sbcl: { language: 'other', code: '--eval', reads: true },
    clojure: { language: 'other', code: '-e -M', reads: false },
    bb: { language: 'other', code: '-e', reads: false },
    scala: { language: 'other', code: '-e', reads: false },
    ocaml: { language: 'other', code: '-e', reads: false },
    octave: { language: 'other', code: '--eval', reads: true },
    crystal: { language: 'other', code: 'eval', reads: false },
    emacs: { language: 'other', code: '--eval -eval', reads: false },
  } satisfies Record<string, Interpreter>),
);

const SAME: ReadonlyMap<string, string> = new Map(
  Object.entries({
    python: 'python2 python3 pypy pypy3 ipython ipython3 micropython',
    node: 'nodejs ts-node tsx',
    lua: 'luajit lua5.1 lua5.3 lua5.4 texlua',
    awk: 'gawk mawk nawk original-awk bawk',
    sed: 'gsed',
    mysql: 'mariadb mycli',
    sqlite3: 'sqlite sqlcipher litecli',
    psql: 'vsql',
    mongosh: 'mongo',
    'redis-cli': 'valkey-cli keydb-cli',
    pwsh: 'powershell powershell.exe',
    vim: 'vi nvim ex view gvim',
    ed: 'red',
    php: 'php8 php7',
    'clickhouse-client': 'clickhouse clickhouse-local',
    emacs: 'emacsclient',
    octave: 'octave-cli',
    clojure: 'clj',
  }).flatMap(([name, others]) => others.split(' ').map((other) => [other, name] as const)),
);

/** The name that the tables know a program by: `python3.12` is `python`. */
export function interpreterName(name: string): string {
  const plain = name.replace(/(?<=^(python|perl|ruby|php|lua|node|pypy))[\d.]+$/, '');
  return SAME.get(name) ?? SAME.get(plain) ?? plain;
}

/** Whether a program runs code of a language of its own. */
export const isInterpreter = (name: string): boolean => INTERPRETERS.has(interpreterName(name));

/** The code that an interpreter is given, in its options, its operands or its input. */
export function snippetsOf(reader: Reader, run: Run, name: string): readonly Snippet[] {
  const interpreter = INTERPRETERS.get(interpreterName(name));
  if (interpreter === undefined) return [];
  const module = interpreter.language === 'python' ? moduleAt(run.words) : null;
  // Behind the name of a module stand options of its own.
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
  // Windows' own PowerShell takes a command without -Command.
  if (interpreter.language === 'powershell' && words.length === 0 && /\s|^[A-Z]\w+-\w+/.test(operands[0]?.text ?? ''))
    code.push(...operands);
  if (interpreter.language === 'powershell' && run.words.some(({ text }) => /^[-/](e|ec|en|enc\w*)$/i.test(text)))
    reader.gap('unresolved.encoded-code', 'it runs code that stands here in another form', run);
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
  // `awk -f <(…)`: what the substitution prints is the program.
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

/** `python -m pip uninstall x` is pip. */
function runModule(reader: Reader, run: Run, words: readonly Word[]): void {
  const [name, ...rest] = words;
  const code = MODULES_OF_CODE[name?.text ?? ''];
  if (name !== undefined && code !== undefined) {
    for (const word of code(rest)) reader.run(pythonOf(word, '-c', { kind: 'none' }));
    if (run.input.kind !== 'none' && name.text !== 'timeit') reader.run(pythonOf(name, '-', run.input));
  }
  if (words.length > 0 && name?.text !== 'timeit') reader.run({ ...run, redirections: [], words });
}

/** Modules of Python that run code, and the words of theirs that are code. All but timeit read more of it from stdin. */
const MODULES_OF_CODE: Readonly<Record<string, (words: readonly Word[]) => readonly Word[]>> = {
  // `python -m timeit -s 'import os' 'os.remove("a")'`: every word that is no option is a statement.
  timeit: (words) => words.filter(({ text }) => !text.startsWith('-') && !/^\d+$/.test(text)),
  // `python -m pdb -c 'import os; os.remove("a")' x.py`: what is no command of the debugger is a statement.
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

/** The words from the name of the module on: `-m x`, `-Im x`, `-mx`. */
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
  if (input.kind === 'none' || language === 'sql' || language === 'mongo' || language === 'redis') return []; // rules ask what these read
  const [first] = run.words;
  if (input.kind === 'fetched' && first !== undefined)
    reader.emit({ ...run, redirections: [], words: [{ ...first, text: FETCHED }] });
  else
    reader.gap(
      'unresolved.piped-code',
      'an interpreter runs what it reads, and this text does not say what that is',
      run,
    );
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

/** `--expr` is `--expression`. */
const isBeginning = (text: string, option: string): boolean =>
  text === option || (/^--\w\w/.test(text) && option.startsWith(text));

/** `awk -f file`, `sed -f file`: the program is not an operand. */
function hasFile(run: Run, interpreter: Interpreter): boolean {
  return interpreter.operand === 0 && run.words.some(({ text }) => /^(-f|--file)/.test(text));
}
