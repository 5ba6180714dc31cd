import type { Command, Language, Snippet } from '../shell/command.js';
import { has } from './arguments.js';
import { DESTRUCTIVE_CALLS } from './code-calls.js';
import { isSink } from './paths.js';
import { awkTargets } from './read-only-code.js';
import type { Rule } from './rule.js';

/** Calls such as `open(x, 'w')`, in which a string gives the mode. */
const OPENS: Partial<Record<Language, RegExp>> = {
  python:
    /(?:(?<![\w])open|\b(?:Zip|Tar|Gzip|BZ2|LZMA)File)\s*\(\s*([^,()]+(?:\([^()]*\))?[^,()]*),\s*(?:mode\s*=\s*)?"(\d+)"/g,
  ruby: /(?:\b(?:File|IO)\s*\.\s*(?:open|new)|(?<![\w.])open)\s*\(?\s*([^,()]+),\s*"(\d+)"/g,
  php: /\bfopen\s*\(\s*([^,()]+),\s*"(\d+)"/g,
  lua: /\bio\s*\.\s*open\s*\(\s*([^,()]+),\s*"(\d+)"/g,
  perl: /\bopen\s*\(?\s*(?:my\s+)?([$\w]+)\s*,\s*"(\d+)"/g,
  r: /\bfile\s*\(\s*([^,()]+),\s*"(\d+)"/g,
};
const INNER_SQL: ReadonlySet<Language> = new Set(['python', 'javascript', 'ruby', 'php', 'perl']);

/** Commands of sqlite3, and their abbreviations, that write a file or run a program. */
const DOT_COMMANDS =
  /^\s*\.(?:on\w*|ou\w*|tr\w*|log|rest\w*|clo\w*|sav\w*|sy\w*|sh(?:e\w*)?|exc\w*)\s+(?!(?:stdout|stderr|off|on|-)\s*$)\S/m;

/** Functions that pass a value to a program or write a file, and the setting with which `vacuum` empties everything. */
const RUNS_EDITOR = /\b(?:edit|writefile)\s*\(|^\s*\.dbconfig\s+reset_database\s+(?:on|1)/im;

export const CODE: readonly Rule[] = [
  {
    id: 'code.debugger',
    title: 'changes or ends a process through a debugger',
    why: 'calls and changes of a debugger affect the running process',
    severity: 'high',
    tools: ['gdb', 'lldb'],
    matches: (c) =>
      /(^|\s)(-p|--pid|attach)(\s|=|$)/.test(c.args.join(' ')) &&
      (c.snippets.find(
        (s) =>
          /^\s*(call|print|p|set|kill|jump|signal|return|k|detach-kill)\b.*(\(|=|$)/m.test(s.text) &&
          !/^\s*((print|p)\s+[^=(]*|set (pagination|logging|confirm)\b.*)$/m.test(s.text),
      )?.word ??
        false),
    stops: ["gdb -p 1234 -batch -ex 'call exit(1)'", "gdb -p 1 -ex 'set var x=1'", 'gdb --pid 1 -ex kill'],
    passes: ["gdb -p 1234 -batch -ex 'thread apply all bt'", "gdb -p 1 -batch -ex 'set pagination off' -ex bt"],
  },
  {
    id: 'code.destroys',
    title: 'code that deletes or overwrites files, or ends processes',
    why: 'code deletes as permanently as rm',
    severity: 'high',
    matches: (c) => !onlyCompiles(c) && (c.snippets.find((s) => destroys(s) || namesDestroyer(s))?.word ?? false),
    ignoresDryRun: true,
    stops: [
      'python3 -c \'import shutil; shutil.rmtree("x")\'',
      'python -c \'import os; os.remove("a")\'',
      'node -e \'require("fs").rmSync("x", {recursive: true})\'',
      'node -e "fs.unlinkSync(\'a\')"',
      'perl -e \'unlink "a"\'',
      'ruby -e \'FileUtils.rm_rf("x")\'',
      'php -r \'unlink("a");\'',
      'lua -e \'os.remove("a")\'',
      'python3 <<EOF\nimport os\nos.unlink("a")\nEOF',
      'python3 -c \'from pathlib import Path; Path("a").unlink()\'',
      'echo \'import shutil; shutil.rmtree("x")\' | python3',
      "python3 -c 'import os; os.kill(1, 9)'",
      'python3 -c \'import requests; requests.request("DELETE", "http://h/1")\'',
      'python3 -m timeit -n 1 \'import os; os.remove("a")\'',
      'python3 -m pdb -c \'import os; os.remove("a")\' /dev/null',
      'echo \'import os; os.remove("a")\' | python3 -m code',
      'python3 -m asyncio <<EOF\nimport os\nos.unlink("a")\nEOF',
      "perl -e 'kill 9, 12'",
      "perl -ne 'if (/x/) { unlink $_ }'",
      "pwsh -c 'Remove-Item -Recurse x'",
    ],
    passes: [
      "python3 -c 'print(1)'",
      'python3 -c \'print("shutil.rmtree(x)")\'',
      'node -e \'console.log(require("fs").readFileSync("a", "utf8"))\'',
      "perl -e 'print 1'",
      "python3 -c 'import os; os.kill(12, 0)'",
      'python3 -c \'import http.client as h; h.HTTPConnection("a").request("GET", "/x")\'',
      "python3 -m timeit 'sum(range(9))'",
      "python3 -m pdb -c 'b 12' -c continue x.py",
      'perl -c -e \'unlink "a"\'',
      "perl -e 'print kill(0, 12)'",
      "perl -ne 'print if /unlink|rmtree/' lib/a.pm",
      'ruby -e \'puts Dir.children(".")\'',
      'python3 -c \'# os.remove("a")\nprint(1)\'',
      'python3 -c \'x=[1]; x.remove(1); print("a".replace("a","b"))\'',
    ],
  },
  {
    id: 'code.opens-to-write',
    title: 'code that overwrites a file',
    why: 'opening a file to write empties it',
    severity: 'medium',
    matches: (c) => c.snippets.find(overwrites)?.word ?? false,
    ignoresDryRun: true,
    stops: [
      'python3 -c \'open("a","w").write("x")\'',
      'python3 -c \'f=open("a", mode="wb")\'',
      'ruby -e \'File.open("a","w")\'',
      'php -r \'fopen("a","w");\'',
      'perl -e \'open(F, ">a")\'',
      'lua -e \'io.open("a","w")\'',
    ],
    passes: [
      'python3 -c \'open("a").read()\'',
      'python3 -c \'open("a","r")\'',
      'python3 -c \'open("a","a").write("x")\'',
      'python3 -c \'open("a","x")\'',
      'perl -e \'open(F, "<a")\'',
    ],
  },
  {
    id: 'code.awk-writes',
    title: 'awk overwrites a file',
    why: 'print > "file" empties the file first',
    severity: 'medium',
    tools: ['awk', 'gawk', 'mawk', 'nawk'],
    matches: (c) =>
      c.snippets.find(
        (s) =>
          s.language === 'awk' &&
          (/\bwrite(a|all)\s*\(/.test(s.skeleton) ||
            awkTargets(s).some(({ appends, path }) => !appends && !isSink(path ?? ''))),
      )?.word ?? false,
    ignoresDryRun: true,
    stops: [
      'awk \'{print > "out.txt"}\' f',
      'awk \'{print $1 > $2".txt"}\' f',
      'awk \'{print (1 > 2); print "a",\n"b" > "f"}\' f',
    ],
    passes: [
      "awk '{print}' f",
      "awk '$1 > 5 {print}' f",
      'awk \'{print > "/dev/stderr"}\' f',
      "awk '{ if ($1 > 5) print $2 }' f",
      'awk \'{print >> "log"}\' f',
    ],
  },
  {
    id: 'code.inner-statement',
    title: 'code that sends a destructive statement to a database',
    why: 'a database cannot undo a committed statement',
    severity: 'high',
    matches: (c) =>
      c.snippets.find(
        (s) =>
          INNER_SQL.has(s.language) &&
          /\b(execute|executescript|executemany|query|exec|run|raw|do|prepare)\s*\(/.test(s.skeleton) &&
          s.strings.some((text) =>
            /^\s*(drop\s+(table|database|schema|index|view|user)|delete\s+from|truncate\s|update\s+\S+\s+set|alter\s+(table|database|user))\b/i.test(
              text,
            ),
          ),
      )?.word ?? false,
    ignoresDryRun: true,
    stops: ['python3 -c \'import sqlite3; sqlite3.connect("a").execute("DROP TABLE x")\''],
    passes: [
      'python3 -c \'import sqlite3; sqlite3.connect("a").execute("select 1")\'',
      'python3 -c \'print("DROP TABLE x")\'',
    ],
  },
  {
    id: 'code.sqlite-command',
    title: 'sqlite3 writes a file or runs a program',
    why: 'a dot command can overwrite the file that it names or the database, or run a program',
    severity: 'high',
    tools: ['sqlite3', 'sqlite', 'sqlcipher', 'litecli'],
    matches: (c) =>
      c.snippets.find(
        ({ text }) =>
          DOT_COMMANDS.test(text) ||
          RUNS_EDITOR.test(text) ||
          // A backup copies a database. If the database is empty, the backup empties the target file.
          (c.args.includes(':memory:') && /^\s*\.ba\w*\s+\S/m.test(text)),
      )?.word ?? false,
    stops: [
      "sqlite3 a.db '.trace notes.txt' 'select 1'",
      "sqlite3 a.db '.once notes.txt' 'select 1'",
      "sqlite3 a.db '.outp notes.txt' .dump",
      "sqlite3 a.db '.restore b.db'",
      "sqlite3 :memory: '.backup notes.txt'",
      "sqlite3 a.db '.sh rm notes.txt'",
      `sqlite3 a.db "select edit('x', 'cp')"`,
      "sqlite3 a.db '.dbconfig reset_database on' vacuum",
    ],
    passes: [
      "sqlite3 a.db '.output stdout' 'select 1'",
      'sqlite3 a.db .dump',
      "sqlite3 a.db '.trace off'",
      "sqlite3 a.db '.backup b.db'",
      'sqlite3 a.db .tables',
    ],
  },
];

function destroys(s: Snippet): boolean {
  const pattern = DESTRUCTIVE_CALLS[s.language];
  if (pattern === undefined) return false;
  const skeleton = lookingOnly(s);
  const match = pattern.exec(skeleton);
  if (match === null || (s.language === 'powershell' && /\s-WhatIf\b/i.test(skeleton))) return false;
  // The string decides whether `fetch(x, { method: "n" })` destroys something.
  if (match[1] !== undefined)
    return (
      /^(DELETE|PUT|PATCH)$/i.test(s.strings[Number(match[1])] ?? '') ||
      pattern.test(skeleton.replace(/\bmethod\s*[:=]\s*"\d+"|\.\s*request\s*\(\s*"\d+"/g, ''))
    );
  return true;
}

/** Whether the code is only compiled: `perl -c`, `ruby -c`. BEGIN blocks still run. */
const onlyCompiles = (c: Command): boolean =>
  /^(perl|ruby)$/.test(c.name) && has(c, '-c') && !c.snippets.some(({ text }) => /\bBEGIN\b/.test(text));

/**
 * Removes the parts that change nothing: signal 0, which only asks whether a process exists, and patterns for comparing
 * texts.
 */
function lookingOnly({ language, skeleton }: Snippet): string {
  if (language === 'python' || language === 'javascript' || language === 'php')
    return skeleton.replace(/\b(?:(?:os|process)\s*\.\s*kill|posix_kill)\s*\(\s*[^(),]+,\s*0\s*\)/g, 'lives()');
  if (language === 'perl' || language === 'ruby')
    return skeleton
      .replace(/\b(?:Process\s*\.\s*)?kill\s*\(?\s*0\s*,/g, 'lives(')
      .replace(
        /(\b(?:if|unless|and|or|not|grep)\s+|[=!]~\s*|[({]\s*|&&\s*|\|\|\s*)m?\/(?:\\.|[^/\n\\])+\//g,
        '$1matches',
      );
  return skeleton;
}

/** Whether a string names the function: `getattr(x, "remove")`, `array_map("unlink", …)`. */
function namesDestroyer(s: Snippet): boolean {
  const call =
    s.language === 'python'
      ? /getattr\s*\([^;\n]*?,\s*"(\d+)"/g
      : s.language === 'php'
        ? /\b(?:array_map|array_walk|call_user_func(?:_array)?|usort|register_shutdown_function)\s*\(\s*"(\d+)"/g
        : null;
  if (call === null) return false;
  // A variable may name the function: `$f = "unlink"; $f(x)`.
  if (s.language === 'php' && /\$\w+\s*\(/.test(s.skeleton) && s.strings.some((text) => RUN_BY_NAME.test(text)))
    return true;
  return [...s.skeleton.matchAll(call)].some(([, index]) => RUN_BY_NAME.test(s.strings[Number(index)] ?? ''));
}

const RUN_BY_NAME =
  /^(remove|unlink|rmtree|rmdir|removedirs|system|popen|kill|rename|replace|truncate|exec|shell_exec|passthru|write_text|file_put_contents)$/;

function overwrites(s: Snippet): boolean {
  const pattern = OPENS[s.language];
  for (const [, file = '', index] of pattern === undefined ? [] : s.skeleton.matchAll(pattern)) {
    const mode = s.strings[Number(index)] ?? '';
    const named = /"(\d+)"/.exec(file)?.[1];
    if (named !== undefined && isSink(s.strings[Number(named)] ?? '')) continue;
    if (s.language === 'perl' ? /^\s*\+?>(?!>)/.test(mode) : /^[rb]*w|\+/.test(mode) && !mode.startsWith('a'))
      return true;
  }
  return false;
}
