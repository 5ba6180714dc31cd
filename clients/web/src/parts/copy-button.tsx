import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { T } from '../texts.js';

const SAID_MS = 2_000;

/** Copies a text unchanged. `what` becomes part of the button's name, because a timeline has many of these buttons. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }): JSX.Element {
  const [said, setSaid] = useState<string | null>(null);
  useEffect(() => {
    if (said === null) return;
    const late = setTimeout(() => setSaid(null), SAID_MS);
    return () => clearTimeout(late);
  }, [said]);
  return (
    <button
      type="button"
      class="quiet copy"
      onClick={() => {
        copy(text).then(
          () => setSaid(T.copied),
          () => setSaid(T.copyFailed),
        );
      }}
    >
      {said ?? T.copy} {said === null ? what : ''}
    </button>
  );
}

/** Copies a text. A page without HTTPS has no clipboard API, so it uses the old way. */
async function copy(text: string): Promise<void> {
  if (isSecureContext) return navigator.clipboard.writeText(text);
  const box = document.createElement('textarea');
  box.value = text;
  document.body.append(box);
  box.select();
  const isDone = document.execCommand('copy');
  box.remove();
  if (!isDone) throw new Error('the browser did not copy the text');
}
