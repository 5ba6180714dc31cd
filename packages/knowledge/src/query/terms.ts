const TOKEN = /[\p{L}\p{N}]+/gu;
const TOKEN_MAX_CHARS = 60;
const TERMS_MAX = 12;

/** Words that say nothing by themselves; left out only when no node holds all the words. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a an and are as at be but by can do does for from have how i if in into is it its me my no not of on or our should so ' +
    'that the their then there these they this to use was we what when where which who why will with you your'
  ).split(' '),
);

/** The words of a text as they are compared: without case and marks. Query and index use this and nothing else. */
export function tokensOf(text: string): string[] {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return (plain.match(TOKEN) ?? []).map((token) => token.slice(0, TOKEN_MAX_CHARS));
}

/** The different words of a query, the first twelve. Each stands for every word that begins with it. */
export function termsOf(text: string): string[] {
  return [...new Set(tokensOf(text))].slice(0, TERMS_MAX);
}

/** What is left to look for when not all of the words were found together. */
export function telling(terms: readonly string[]): string[] {
  return terms.filter((term) => !STOP_WORDS.has(term));
}

/** Whether a word stands for those that begin with it, too. Short and empty words begin half of a language. */
export function isBeginning(term: string): boolean {
  return term.length >= 3 && !STOP_WORDS.has(term);
}
