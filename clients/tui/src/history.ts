export const HISTORY_MAX = 1_000;

/** Adds a sent line. A repeated line counts once. */
export function withEntry(entries: readonly string[], line: string): readonly string[] {
  return entries.at(-1) === line ? entries : [...entries, line].slice(-HISTORY_MAX);
}

/** Returns the entries that contain a text, newest first, up to a limit. */
export function findInHistory(entries: readonly string[], text: string): readonly string[] {
  const wanted = text.toLowerCase();
  const hits = entries.filter((entry) => entry.toLowerCase().includes(wanted)).toReversed();
  return [...new Set(hits)];
}
