import { outlineOf } from './outline.js';

/** Minimum size of a summary, as a share of the bytes of a document's different lines. */
const LEAST_SHARE = 0.01;
/** The share of the headings that a summary must keep. Headings that name a day or a run do not count. */
const HEADINGS_SHARE = 0.5;
const HEADINGS_MAX = 40;
/** The share of the most frequent names that a summary must keep. */
const NAMES_SHARE = 0.3;
const NAMES_MAX = 50;
/** If a document has fewer names than this, words are compared instead. */
const NAMES_MIN = 5;

/**
 * Matches names: words with a digit, a dot, a slash or a dash inside, such as hosts, paths, versions and settings. Days
 * and times are not names.
 */
const NAME = /[\p{L}_/~][\p{L}\p{N}_]*(?:[./:@-]?[\p{L}\p{N}_]+)*/gu;

/** Returns the reason why `made` is not a summary of `old`; null if there is none. */
export function faultOfSummary(old: string, made: string): string | null {
  const different = new Set(old.split(/\r\n?|\n/));
  const bytes = [...different].reduce((sum, each) => sum + Buffer.byteLength(each), 0);
  if (Buffer.byteLength(made) < bytes * LEAST_SHARE) return 'it is too short';
  const text = made.toLowerCase();
  const headings = headingsOf(old);
  if (shareIn(text, headings) < HEADINGS_SHARE) return 'its headings are gone';
  const names = namesOf(old);
  if (names.length >= NAMES_MIN) return shareIn(text, names) < NAMES_SHARE ? 'its names are gone' : null;
  // Without headings, only its words show what the document was about.
  const words = headings.length > 0 ? [] : wordsOf([...different].join('\n'));
  return shareIn(text, words) < NAMES_SHARE ? 'its words are gone' : null;
}

function headingsOf(text: string): readonly string[] {
  const titles = outlineOf(text).map(({ title }) => title.trim().toLowerCase());
  return [...new Set(titles.filter((title) => title !== '' && !/\d/.test(title)))].slice(0, HEADINGS_MAX);
}

/** Returns names that occur at least twice, most frequent first. */
function namesOf(text: string): readonly string[] {
  const counts = new Map<string, number>();
  for (const [name] of text.toLowerCase().matchAll(NAME)) {
    if (name.length > 2 && /[\d./@_-]/.test(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const repeated = [...counts].filter(([, count]) => count > 1).toSorted((a, b) => b[1] - a[1]);
  return repeated.slice(0, NAMES_MAX).map(([name]) => name);
}

/** Returns the most frequent words. Short words do not count, because any answer contains them. */
function wordsOf(text: string): readonly string[] {
  const counts = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]{4,}/gu)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, NAMES_MAX)
    .map(([word]) => word);
}

function shareIn(text: string, wanted: readonly string[]): number {
  return wanted.length === 0 ? 1 : wanted.filter((each) => text.includes(each)).length / wanted.length;
}
