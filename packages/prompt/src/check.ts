/** Programs that always exit with 0 for certain arguments. */
const ALWAYS_SUCCEED: Readonly<Record<string, (args: readonly string[]) => boolean>> = {
  true: () => true,
  ':': () => true,
  echo: () => true,
  printf: () => true,
  pwd: () => true,
  date: () => true,
  whoami: () => true,
  wc: () => true,
  head: () => true,
  tail: () => true,
  sort: () => true,
  cat: (args) => args.length === 0,
  ls: (args) => args.every((arg) => arg.startsWith('-') || isThere(arg)),
  exit: (args) => args[0] === undefined || args[0] === '0',
  cd: (args) => args.length === 0 || (args.length === 1 && isThere(args[0] ?? '')),
  find: (args) => isThere(args[0] ?? '') && !args.some((arg) => /^-(?:exec|ok|delete|fprint|fls|files0)/.test(arg)),
  sleep: (args) => args.length === 1 && /^\d+[smh]?$/.test(args[0] ?? ''),
  id: (args) => args.length === 0,
  uname: (args) => args.every((arg) => arg.startsWith('-')),
  hostname: (args) => args.length === 0,
  df: (args) => args.every((arg) => arg.startsWith('-')),
};
/** Programs that run the rest of the line as a command. */
const WRAPPERS: ReadonlySet<string> = new Set(['command', 'env', 'time', 'nohup', 'builtin']);
/** Programs that read files if some are given. The files may be missing. */
const READS_FILES: ReadonlySet<string> = new Set(['wc', 'head', 'tail', 'sort']);
/** Matches quoted text, operators between commands, and all other text. */
const PIECES = /'[^']*'|"(?:[^"\\]|\\.)*"|&&|\|\||[;|\n]|(?:[^'";|&\n]|&(?!&))+/g;

/**
 * Whether a check succeeds in every situation, so that it proves nothing: `true`, `echo done`, `ls`, `test -f x ||
 * true`, `grep x file | wc -l`. False if that is not certain. Pure.
 */
export function provesNothing(command: string): boolean {
  // Shell options may make the check fail if any part fails, or change how the rest is read.
  if (/\bset\s+-|pipefail|[`(){}<]/.test(command)) return false;
  let mayFail = false;
  let joint = ';';
  let simple = '';
  const end = (): void => {
    if (simple.trim() === '') return;
    const fails = !alwaysSucceeds(simple);
    if (joint === '&&') mayFail ||= fails;
    else if (joint === '||') mayFail &&= fails;
    else mayFail = fails;
    simple = '';
  };
  for (const [piece] of command.matchAll(PIECES)) {
    if (!/^(?:&&|\|\||[;|\n])$/.test(piece)) {
      simple += piece;
      continue;
    }
    end();
    joint = piece;
  }
  end();
  return !mayFail && command.trim() !== '';
}

/** Whether the path is a folder that exists in every container of a goal. */
function isThere(path: string): boolean {
  return /^(?:\.|\/|(?:\/workspace|\/tmp|\/etc|\/usr)\/?)$/.test(path);
}

function alwaysSucceeds(redirected: string): boolean {
  const simple = redirected.replaceAll(/\s*\d?>>?\s*(?:\/dev\/null(?=\s|$)|&\d)/g, '');
  // A redirection target may not be writable, and a variable may contain anything.
  if (/[>$]/.test(simple.replaceAll(/'[^']*'|"[^"$]*"/g, ''))) return false;
  const words = simple.trim().split(/\s+/);
  const [path = '', ...args] = words.slice(WRAPPERS.has(words[0] ?? '') ? 1 : 0);
  const name = path.replace(/^(?:\/usr)?\/bin\//, '');
  const succeeds = Object.hasOwn(ALWAYS_SUCCEED, name) ? ALWAYS_SUCCEED[name] : undefined;
  if (READS_FILES.has(name) && args.some((arg) => !/^-|^\d+$/.test(arg))) return false;
  return succeeds?.(args) ?? false;
}
