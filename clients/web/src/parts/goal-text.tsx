import { showExact } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { T } from '../texts.js';

const LONG_CHARS = 600;

/** Shows a person's goal. Invisible characters are visible, and a long text is folded. */
export function GoalText({ text, kind }: { readonly text: string; readonly kind: 'lead' | 'subject' }): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > LONG_CHARS;
  const clean = showExact(isLong && !isWhole ? `${text.slice(0, LONG_CHARS)}…` : text);
  return (
    <div>
      <p class={kind}>{clean}</p>
      {isLong ? (
        <button type="button" class="fold" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? T.goal.fold : T.goal.whole(text.length)}
        </button>
      ) : null}
    </div>
  );
}
