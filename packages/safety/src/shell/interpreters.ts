import type { Language } from './command.js';

/** The ways to give code to a program that runs its own language. */
export interface Interpreter {
  readonly language: Language;
  /** Options whose value is code. A short one may end a cluster (`-pe`). */
  readonly code: string;
  /** Options that take the next word as their value. */
  readonly values?: string;
  /** Whether the program runs its input if no file and no code is given. */
  readonly reads: boolean;
  /** The index of the first operand that is code, counted from 0. All later operands are code too. */
  readonly operand?: number;
}

const SQL: Interpreter = {
  language: 'sql',
  code: '-c --command -e --execute -q -Q --query --sql -execute',
  reads: true,
};

export const INTERPRETERS: ReadonlyMap<string, Interpreter> = new Map<string, Interpreter>(
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

/** Returns the name of a program in the tables: `python3.12` becomes `python`. */
export function interpreterName(name: string): string {
  const plain = name.replace(/(?<=^(python|perl|ruby|php|lua|node|pypy))[\d.]+$/, '');
  return SAME.get(name) ?? SAME.get(plain) ?? plain;
}

/** Whether a program runs code in its own language. */
export const isInterpreter = (name: string): boolean => INTERPRETERS.has(interpreterName(name));
