import type { Pattern } from './pattern.js';

/** The known words of a program, each with the words that may follow it. Destructive words are inserted first. */
export type Vocabulary = Map<string, Vocabulary>;

export function vocabularyOf(patterns: readonly Pattern[]): Vocabulary {
  const root: Vocabulary = new Map();
  for (const { words } of patterns) {
    let nodes = [root];
    for (const { alternatives, not, anywhere } of words) {
      if (not || anywhere) break;
      nodes = nodes.flatMap((node) => alternatives.map((word) => follow(node, word)));
    }
  }
  return root;
}

function follow(node: Vocabulary, word: string): Vocabulary {
  const known = node.get(word) ?? new Map<string, Vocabulary>();
  if (!word.includes('*')) node.set(word, known);
  return known;
}

/**
 * Returns the words with their abbreviations expanded. An ambiguous abbreviation becomes the first destructive word
 * that it matches. The program usually refuses such an abbreviation, but it may know fewer words than the table.
 */
export function writtenOut(words: readonly string[], vocabulary: Vocabulary): readonly string[] {
  const full: string[] = [];
  let node: Vocabulary | undefined = vocabulary;
  for (const word of words) {
    const known: string = node?.has(word) === true ? word : ([...(node?.keys() ?? [])].find(begins(word)) ?? word);
    full.push(known);
    node = node?.get(known);
  }
  return full;
}

const begins =
  (word: string) =>
  (known: string): boolean =>
    word !== '' && known.startsWith(word);
