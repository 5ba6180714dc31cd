import { useEffect, useState } from 'preact/hooks';

/**
 * Returns the words of an address such as `#/goals/4?tab=x`. The part after the hash never reaches a server or its log.
 */
export function wordsOfHash(hash: string): readonly string[] {
  const path = hash.replace(/^#\/?/, '').split('?', 1)[0] ?? '';
  return path
    .split('/')
    .filter((word) => word !== '')
    .map(decoded);
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

export function hrefTo(...words: readonly (string | number)[]): string {
  return `#/${words.map((word) => encodeURIComponent(word)).join('/')}`;
}

export function goTo(...words: readonly (string | number)[]): void {
  location.hash = hrefTo(...words);
}

export function useRoute(): readonly string[] {
  const [words, setWords] = useState(() => wordsOfHash(location.hash));
  useEffect(() => {
    const look = (): void => setWords(wordsOfHash(location.hash));
    addEventListener('hashchange', look);
    return () => removeEventListener('hashchange', look);
  }, []);
  return words;
}
