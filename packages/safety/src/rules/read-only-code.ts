import type { Snippet } from '../shell/command.js';
import { isSink } from './paths.js';

/** Matches one sed command that only prints, deletes from the printed text, or branches, with its address. */
const SED_COMMAND =
  /^[\s;]*(?:(?:\d+|\$|[/](?:[^/\\]|\\.)*[/][IM]*|\d+~\d+)(?:\s*,\s*(?:[+~]?\d+|\$|[/](?:[^/\\]|\\.)*[/][IM]*))?)?\s*!?\s*(?:[pPdDqQlnNhHgGxz=}{]\s*\d*|[btT]\s*\w*|:\s*\w+|[aic]\\?[^\n]*|y(?<y>.)(?:(?!\k<y>)[^\\]|\\.)*\k<y>(?:(?!\k<y>)[^\\]|\\.)*\k<y>|s(?<s>.)(?:(?!\k<s>)[^\\]|\\.)*\k<s>(?:(?!\k<s>)[^\\]|\\.)*\k<s>[gpiIm\d]*)\s*(?=[;}\n]|$|#)/su;

/** Whether every command of a sed script is known and none of them writes a file or runs anything. */
export function readsOnlySed(script: string): boolean {
  let rest = script;
  for (let count = 0; count < 100; count += 1) {
    rest = rest.replace(/^[\s;]*(#[^\n]*)?[\s;]*/, '');
    if (rest === '') return true;
    const found = /^\}/.exec(rest)?.[0] ?? SED_COMMAND.exec(rest)?.[0] ?? /^[^{}]*\{/.exec(openBlock(rest))?.[0];
    if (found === undefined || found === '') return false;
    rest = rest.slice(found.length);
  }
  return false;
}

/** Returns the beginning of a block: an address and a brace. */
const openBlock = (text: string): string =>
  /^(?:\d+|\$|[/](?:[^/\\]|\\.)*[/][IM]*)?(?:\s*,\s*(?:\d+|\$|[/](?:[^/\\]|\\.)*[/][IM]*))?\s*!?\s*\{/.exec(
    text,
  )?.[0] ?? '';

/** Whether an awk program runs nothing, loads nothing, and prints only to its standard output. */
export function readsOnlyAwk(program: Snippet): boolean {
  return (
    !/\bsystem\s*\(|@|(?<!\|)\|(?!\|)|\bwrite(a|all)\b/.test(program.skeleton) &&
    awkTargets(program).every(({ path }) => path !== null && isSink(path))
  );
}

/**
 * Returns the files that awk prints to: `>` outside of parentheses after `print`. The path is null if it is not a plain
 * string.
 */
export function awkTargets({
  skeleton,
  strings,
}: Snippet): readonly { readonly appends: boolean; readonly path: string | null }[] {
  const code = skeleton.replace(/(,|\\|&&|\|\||\{|\bdo|\belse)[ \t]*\n/g, (_, end: string) =>
    end === '\\' ? ' ' : end,
  );
  return [...code.matchAll(/\bprintf?\b([^;}\n]*)/g)].flatMap(([, rest = '']) => {
    let depth = 0;
    for (let at = 0; at < rest.length; at += 1) {
      const char = rest.charAt(at);
      if (/[([]/.test(char)) depth += 1;
      else if (/[)\]]/.test(char)) depth -= 1;
      if (char !== '>' || depth > 0 || rest.charAt(at + 1) === '=') continue;
      const appends = rest.charAt(at + 1) === '>';
      const named = /^\s*"(\d+)"\s*$/.exec(rest.slice(at + (appends ? 2 : 1)))?.[1];
      return [{ appends, path: named === undefined ? null : (strings[Number(named)] ?? null) }];
    }
    return [];
  });
}
