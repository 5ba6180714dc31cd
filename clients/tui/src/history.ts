export const HISTORY_MAX = 1_000;

/** Adds a line that was sent; the same one twice in a row counts once. */
export function withEntry(entries: readonly string[], line: string): readonly string[] {
  return entries.at(-1) === line ? entries : [...entries, line].slice(-HISTORY_MAX);
}

/** The newest entries that contain a text, newest first. */
export function findInHistory(entries: readonly string[], text: string): readonly string[] {
  const wanted = text.toLowerCase();
  const hits = entries.filter((entry) => entry.toLowerCase().includes(wanted)).toReversed();
  return [...new Set(hits)];
}
