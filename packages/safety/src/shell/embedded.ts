import { HOLE, type Language, type Snippet } from './command.js';
import type { Reader } from './reading.js';
import { snippet as read } from './snippet.js';

/** Names of functions that run a program, by language. Their argument is shell text or a list of words. */
const RUNNERS: Partial<Record<Language, RegExp>> = {
  python:
    /(?:\.\s*(?:system|popen\w*|Popen|check_call|check_output|getoutput|getstatusoutput|exec[lv]\w*|spawn[lv]\w*|posix_spawnp?|create_subprocess_shell|create_subprocess_exec)|\bsubprocess\s*\.\s*(?:run|call)|\bpty\s*\.\s*spawn|(?<![\w.])(?:system|popen|Popen|check_call|check_output|getoutput|sh\s*\.\s*\w+))\s*\(/g,
  javascript:
    /(?:(?<![\w.])(?:exec|execSync|spawn|spawnSync|execFile|execFileSync|execa|execaSync)|\.\s*(?:execSync|spawn|spawnSync|execFile|execFileSync)|(?:child_process|\bcp|\bshell|"\))\s*\.\s*exec|new\s+Deno\s*\.\s*Command|Deno\s*\.\s*run)\s*\(/g,
  perl: /(?<![\w>:$@%])(?:system|exec|qx|readpipe)\b\s*\(?/g,
  ruby: /(?<![\w$@])(?:system|exec|spawn|popen\w*|capture\w*|%x)\b\s*\(?|\.\s*(?:popen\w*|capture\w*|pipeline)\s*\(/g,
  php: /(?<![\w>:$])(?:system|exec|shell_exec|passthru|popen|proc_open|pcntl_exec)\s*\(/g,
  lua: /\b(?:os\s*\.\s*execute|io\s*\.\s*popen)\s*\(?/g,
  awk: /(?:\bsystem|@\w+)\s*\(/g,
  r: /\b(?:system2?|shell)\s*\(/g,
  applescript: /\bdo\s+shell\s+script\b/g,
  other: /\b(?:system\*?|os:cmd|shell-command(?:-to-string)?|System\.cmd|run-shell-command|sh)\b\s*\(?/g,
};
/** Functions that run code in their own language. */
const EVALUATORS: Partial<Record<Language, RegExp>> = {
  python: /(?:(?<![\w.])|\b(?:__builtins__|builtins|__dict__)\s*\.\s*)(?:exec|eval)\s*\(/g,
  javascript:
    /(?:(?<![\w.])|\b(?:globalThis|global|window|self)\s*\.\s*)(?:eval|Function)\s*\(|\b(?:runIn(?:This|New)?Context|compileFunction|vm\s*\.\s*Script)\s*\(/g,
  perl: /(?<![\w$@>:])eval\b(?!\s*\{)/g,
  ruby: /(?<![\w.])(?:eval|instance_eval)\b\s*\(?/g,
  php: /(?<![\w>])(?:eval|assert)\s*\(/g,
  lua: /\b(?:load|loadstring|dofile)\s*\(/g,
};
const INSIDE_VIM: Readonly<Record<string, Language>> = { lua: 'lua', py: 'python', perl: 'perl', ruby: 'ruby' };
const LITERAL = /^[\s([{]*(?:(?:args|cmd|cmdline)\s*[:=]\s*\[?\s*)?"(\d+)"/;

/** Finds the shell text that other languages run, and reads it. Returns the code that this code evaluates. */
export function embedded(reader: Reader, snippets: readonly Snippet[], depth = 0): readonly Snippet[] {
  const found: Snippet[] = [...snippets];
  for (const item of snippets) {
    // gdb accepts lines of Python.
    const inner = item.language === 'gdb' ? /^\s*(?:python|py|pi)\s+([\s\S]+)$/m.exec(item.text)?.[1] : undefined;
    if (inner !== undefined) found.push(...embedded(reader, [read('python', inner, item.word)], depth + 1));
    // vim accepts lines of other languages.
    const [, name = '', code = ''] =
      item.language === 'vim' ? (/^\s*:?(lua|py|perl|ruby)\w*\s+([\s\S]+)$/m.exec(item.text) ?? []) : [];
    const language = INSIDE_VIM[name];
    if (language !== undefined) found.push(...embedded(reader, [read(language, code, item.word)], depth + 1));
    runners(reader, item);
    lines(reader, item);
    const evaluator = EVALUATORS[item.language];
    if (evaluator === undefined || depth > 2) continue;
    for (const match of item.skeleton.matchAll(evaluator)) {
      const rest = item.skeleton.slice(match.index + match[0].length);
      const literal = LITERAL.exec(rest)?.[1];
      const text = literal === undefined ? undefined : item.strings[Number(literal)];
      if (text === undefined)
        reader.gap('unresolved.evaluated-code', 'it runs code that is known only when it runs', item.word);
      else found.push(...embedded(reader, [read(item.language, text, item.word)], depth + 1));
    }
  }
  return found;
}

function runners(reader: Reader, { language, skeleton: written, strings, word }: Snippet): void {
  // `exec {"rm"} "ls", "f"` runs rm under the name ls.
  const skeleton =
    language === 'perl' ? written.replace(/\b(exec|system)\s*\{\s*("\d+")\s*\}\s*"\d+"/g, '$1 $2') : written;
  for (const match of calls(language, skeleton, strings)) {
    const rest = skeleton.slice(match.index + match[0].length, match.index + match[0].length + 2000);
    const shell = commandOf(rest, strings);
    // `other` stands for many languages, and in some of them the word may have another meaning.
    if (shell === null && language === 'other') continue;
    if (shell === null)
      reader.gap('unresolved.inner-command', 'it runs a command that is known only when it runs', word);
    else if (shell !== '') reader.code(word, { kind: 'opaque' }, shell);
  }
  if (language === 'perl' || language === 'ruby' || language === 'php') {
    for (const [, index] of skeleton.matchAll(/`(\d+)`/g))
      reader.code(word, { kind: 'none' }, strings[Number(index)] ?? '');
    for (const [, code] of skeleton.matchAll(/(?:qx|%x)\s*[{([/|!]([^})\]/|!]*)/g))
      reader.code(word, { kind: 'none' }, restored(code ?? '', strings));
  }
  if (language === 'javascript') {
    for (const [, index] of skeleton.matchAll(/\$\s*`(\d+)`/g))
      reader.code(word, { kind: 'none' }, strings[Number(index)] ?? '');
  }
  if (language === 'perl' || language === 'ruby') {
    for (const [, index] of skeleton.matchAll(/\bopen\b[^;]*?"(\d+)"/g)) {
      const text = strings[Number(index)] ?? '';
      if (/^\s*\||\|\s*$/.test(text)) reader.code(word, { kind: 'none' }, text.replace(/^\s*\||\|\s*$/g, ''));
    }
  }
  if (language === 'awk') {
    for (const [, before, after] of skeleton.matchAll(/"(\d+)"\s*\|&?\s*getline|\|&?\s*"(\d+)"/g)) {
      reader.code(word, { kind: 'opaque' }, strings[Number(before ?? after)] ?? '');
    }
  }
}

/**
 * Returns the calls in a snippet that run programs, including calls under names that the snippet gives to such
 * functions.
 */
function calls(language: Language, skeleton: string, strings: readonly string[]): RegExpExecArray[] {
  const pattern = RUNNERS[language];
  const found = pattern === undefined ? [] : [...skeleton.matchAll(pattern)];
  const names: string[] = [];
  if (language === 'python' && skeleton.includes('subprocess')) {
    names.push(
      '\\w+\\s*\\.\\s*(?:run|call)',
      ...imported(skeleton, /from\s+subprocess\s+import\s+([^\n;]+)/g, /(\w+)\s+as\s+(\w+)|(\w+)/g),
    );
  }
  if (language === 'python' && /from\s+subprocess\s+import\s+\*/.test(skeleton)) names.push('run', 'call', 'Popen');
  if (language === 'javascript' && strings.some((text) => /^(node:)?child_process$|^execa$|^shelljs$/.test(text))) {
    names.push(
      '\\w+\\s*\\.\\s*exec',
      ...imported(skeleton, /\{([^{}]*\b(?:exec|spawn)[^{}]*)\}\s*=/g, /(\w+)\s*:\s*(\w+)|(\w+)/g),
    );
  }
  if (names.length === 0) return found;
  const own = [...skeleton.matchAll(new RegExp(`(?<![\\w.])(?:${names.join('|')})\\s*\\(`, 'g'))];
  return [...found, ...own.filter(({ index }) => !found.some((other) => other.index === index))];
}

function imported(skeleton: string, list: RegExp, item: RegExp): string[] {
  return [...skeleton.matchAll(list)]
    .flatMap(([, names = '']) => [...names.matchAll(item)].map(([, , alias, plain]) => alias ?? plain ?? ''))
    .filter((name) => name !== '' && name !== 'PIPE');
}

/** Returns the literal words of a call: one text for a shell, or a list of words. Null if they are not literal. */
function commandOf(rest: string, strings: readonly string[]): string | null {
  const first = LITERAL.exec(rest) ?? /^\s*`(\d+)`/.exec(rest);
  if (first === null) return /^\s*[)\]]/.test(rest) ? '' : null;
  const list = /^[\s(]*\[/.test(rest) || /^\s*(?:"\d+"|`\d+`)\s*,\s*(?:\[|"|\{\s*args)/.test(rest);
  const head = strings[Number(first[1])] ?? '';
  // The rest of a text like `"rm " + file` is unknown.
  if (!list)
    return /^\s*(?:\.\s*split\s*\(\s*\)\s*)?(?:[)\],;}\n]|$)/.test(rest.slice(first[0].length)) ? head : head + HOLE;
  const end = rest.search(/\]|\)|;|\n\n/);
  const words = [...rest.slice(0, end === -1 ? undefined : end).matchAll(/"(\d+)"|(?<=[[,]\s*)([A-Za-z_$@]\w*)/g)];
  return words.map(([, index]) => (index === undefined ? '"$unknown"' : quote(strings[Number(index)] ?? ''))).join(' ');
}

/** Reads the lines of line-based languages. A line with this beginning is for the shell. */
function lines(reader: Reader, { language, text, word }: Snippet): void {
  const marks: Partial<Record<Language, RegExp>> = {
    vim: /(?:^|[:|\n])\s*(?:%|\d+(?:,\d+)?)?!\s*([^\n|]+)/g,
    python: /^\s*!\s*([^=\n].*)$/gm,
    ed: /^!\s*(.+)$/gm,
    gdb: /^\s*(?:(?:shell|make)\s+|!\s*)(.+)$/gm,
    sql: /^\s*(?:\\!|\.shell|\.system|system)\s+(.+)$/gim,
  };
  const pattern = marks[language];
  for (const [, code] of pattern === undefined ? [] : text.matchAll(pattern))
    reader.code(word, { kind: 'none' }, (code ?? '').trim());
  if (language === 'sql') {
    for (const [, code] of text.matchAll(/\bPROGRAM\s+'((?:[^']|'')+)'/gi))
      reader.code(word, { kind: 'opaque' }, (code ?? '').replaceAll("''", "'"));
  }
}

const restored = (skeleton: string, strings: readonly string[]): string =>
  skeleton.replace(/"(\d+)"/g, (_, index: string) => quote(strings[Number(index)] ?? ''));

const quote = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
