import type { ToolSpec } from '@aish/contracts/tools';

const FOUND_MAX = 8;
/** A word in a name counts more than one in a description. */
const NAME_WEIGHT = 3;

/** Returns the tools that match the words best, best first. Rare words count more. Pure. */
export function searchTools(specs: readonly ToolSpec[], query: string, limit = FOUND_MAX): readonly ToolSpec[] {
  const wanted = [...new Set(wordsOf(query))];
  if (wanted.length === 0) return [];
  const indexed = specs.map((spec) => ({
    spec,
    name: new Set(wordsOf(`${spec.name} ${spec.label}`)),
    text: new Set(wordsOf(spec.description)),
  }));
  const weights = wanted.map((word) => {
    const holders = indexed.filter(({ name, text }) => has(name, word) || has(text, word)).length;
    return Math.log(1 + specs.length / (1 + holders));
  });
  return indexed
    .map(({ spec, name, text }) => {
      const score = wanted.reduce(
        (sum, word, at) => sum + (weights[at] ?? 0) * ((has(name, word) ? NAME_WEIGHT : 0) + (has(text, word) ? 1 : 0)),
        0,
      );
      return { spec, score };
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.spec.name < b.spec.name ? -1 : 1))
    .slice(0, limit)
    .map(({ spec }) => spec);
}

/** Whether a word is among the words. Plural and singular, and a word and its longer forms, count as the same. */
function has(words: ReadonlySet<string>, word: string): boolean {
  if (words.has(word)) return true;
  if (word.length < 4) return false;
  for (const each of words) if (each.length >= 4 && (each.startsWith(word) || word.startsWith(each))) return true;
  return false;
}

function wordsOf(text: string): readonly string[] {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1);
}
