/**
 * The word that a mistyped one probably means: one that begins with it, or else the one with the fewest wrong letters.
 * Null if none is near, because a wild guess helps nobody.
 */
export function nearestWord(typed: string, words: readonly string[]): string | null {
  if (typed === '') return null;
  const longer = words.find((word) => word.startsWith(typed));
  if (longer !== undefined) return longer;
  const [best] = words
    .map((word) => ({ word, wrong: editDistance(typed, word) }))
    .filter(({ word, wrong }) => isNear(wrong, Math.max(typed.length, word.length)))
    .toSorted((a, b) => a.wrong - b.wrong);
  return best?.word ?? null;
}

/** Whether at most one letter in three is wrong, and at least one letter is right. */
function isNear(wrong: number, length: number): boolean {
  return wrong < length && wrong <= Math.max(1, Math.floor(length / 3));
}

/** How many letters are missing, superfluous, wrong or swapped with the next one. */
export function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, n) => n)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Infinity;
  for (let i = 1; i <= a.length; i += 1) {
    rows.push([i]);
    for (let j = 1; j <= b.length; j += 1) {
      const changed = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? at(i - 2, j - 2) + 1 : Infinity;
      rows[i]?.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, changed, swapped));
    }
  }
  return at(a.length, b.length);
}
