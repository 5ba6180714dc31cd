/** Returns the words of a field, which are separated by blanks or commas. */
export function wordsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Parses each line. @throws Error that names the invalid line, with an example */
export function readLines<T>(text: string, read: (line: string) => T | null, example: string): T[] {
  return linesOf(text).map((line) => {
    const found = read(line);
    if (found === null) throw new Error(`“${line}” is not right. Example: ${example}`);
    return found;
  });
}

/** Parses `status=firing`, one per line. @throws Error that names the invalid line */
export function pairsOf(text: string): Record<string, string> {
  const pairs = readLines(
    text,
    (line): [string, string] | null => {
      const at = line.indexOf('=');
      return at < 1 ? null : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    },
    'status=firing',
  );
  return Object.fromEntries(pairs);
}

/** Formats pairs as `pairsOf` parses them. */
export function pairLines(pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs)
    .map(([path, value]) => `${path}=${value}`)
    .join('\n');
}
