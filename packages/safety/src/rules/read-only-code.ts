/** One command of sed that only prints, deletes from what is printed, or branches; with its address. */
const SED_COMMAND =
  /^[\s;]*(?:(?:\d+|\$|[/](?:[^/\\]|\\.)*[/][IM]*|\d+~\d+)(?:\s*,\s*(?:[+~]?\d+|\$|[/](?:[^/\\]|\\.)*[/][IM]*))?)?\s*!?\s*(?:[pPdDqQlnNhHgGxz=}{]\s*\d*|[btT]\s*\w*|:\s*\w+|[aic]\\?[^\n]*|y(?<y>.)(?:(?!\k<y>)[^\\]|\\.)*\k<y>(?:(?!\k<y>)[^\\]|\\.)*\k<y>|s(?<s>.)(?:(?!\k<s>)[^\\]|\\.)*\k<s>(?:(?!\k<s>)[^\\]|\\.)*\k<s>[gpiIm\d]*)\s*(?=[;}\n]|$|#)/su;

/** Whether every command of a sed script is known, and none of them writes a file or runs anything. */
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

/** The beginning of a block: an address and a brace. */
const openBlock = (text: string): string =>
  /^(?:\d+|\$|[/](?:[^/\\]|\\.)*[/][IM]*)?(?:\s*,\s*(?:\d+|\$|[/](?:[^/\\]|\\.)*[/][IM]*))?\s*!?\s*\{/.exec(
    text,
  )?.[0] ?? '';

/** Whether an awk program neither runs nor loads anything, nor prints anywhere else. */
export function readsOnlyAwk(program: string): boolean {
  const code = program.replace(/>\s*"\/dev\/std(err|out)"/g, '').replace(/"(?:[^"\\]|\\.)*"/gs, '""');
  return !/\bsystem\b|@|(?<!\|)\|(?!\|)|\bprintf?\b[^;}\n]*>/.test(code.replace(/\/(?:[^/\\\n]|\\.)+\//g, '//'));
}
