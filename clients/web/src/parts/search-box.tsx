import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

const PAUSE_MS = 250;

/** A search box. The search starts after a pause in typing. */
export function SearchBox({
  label,
  found,
}: {
  readonly label: string;
  readonly found: (words: string) => void;
}): JSX.Element {
  const [words, setWords] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => found(words.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [words]);
  return (
    <search>
      <input
        type="search"
        class="search"
        aria-label={label}
        placeholder={label}
        value={words}
        onInput={({ currentTarget }) => setWords(currentTarget.value)}
      />
    </search>
  );
}
