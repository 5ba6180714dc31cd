/** Words of questions that do not say what the question is about. */
const FILLERS: ReadonlySet<string> = new Set(
  (
    'a about again all also am an and any anybody anyone anything are as at be been but by can could did do does ever ' +
    'exactly for from had has have how i if in into is it its kind know let me mention mentioned my need no not note noted notes of on or our out please ' +
    'recall remember remind say should show so some somebody someone something tell that the their them then there these ' +
    'they thing things this to us use was we were what when where which who whose why will with would write written wrote you your'
  ).split(' '),
);

export function isFiller(word: string): boolean {
  return FILLERS.has(word.toLowerCase());
}

/** Returns a question without filler words. It stays unchanged if nothing else would remain. */
export function withoutFillers(question: string): string {
  const kept = question.replaceAll(/[\p{L}\p{M}'’]+/gu, (word) => (isFiller(word.replace(/['’].*$/, '')) ? ' ' : word));
  return /[\p{L}\p{N}]/u.test(kept) ? kept : question;
}
