import type { JSX } from 'preact';
import { T } from '../texts.js';
import { wordsOf } from './words.js';

/** Shows names that aish knows. A press adds one to the field above or removes it. */
export function KnownNames({ names }: { readonly names: readonly string[] }): JSX.Element | null {
  if (names.length === 0) return null;
  return (
    <span class="known" role="group" aria-label={T.known}>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          class="quiet"
          onClick={({ currentTarget }) => {
            const field = currentTarget.closest('.field')?.querySelector('input');
            if (!field) return;
            const words = wordsOf(field.value);
            field.value = (words.includes(name) ? words.filter((word) => word !== name) : [...words, name]).join(' ');
            field.dispatchEvent(new Event('input', { bubbles: true }));
          }}
        >
          {name}
        </button>
      ))}
    </span>
  );
}
