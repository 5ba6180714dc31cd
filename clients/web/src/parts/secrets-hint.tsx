import { secretsApi } from '@aish/contracts/endpoints/access';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { call } from '../api.js';
import { T } from '../texts.js';

/** Who types is not asked about at each letter. */
const PAUSE_MS = 400;
/** A shorter text holds none that anybody could recognise. */
const TEXT_MIN_CHARS = 12;

/** Says of a text that is being typed that it looks like it holds a secret: models would see it. */
export function SecretsHint({ text }: { readonly text: string }): JSX.Element | null {
  const [titles, setTitles] = useState<readonly string[]>([]);
  useEffect(() => {
    if (text.length < TEXT_MIN_CHARS) return setTitles([]);
    const gone = new AbortController();
    const timer = setTimeout(() => {
      call(secretsApi.look, { body: { text } }, gone.signal).then(
        (found) => setTitles(found.titles),
        // A hint and no more: what is wrong shows when the text is sent.
        () => undefined,
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [text]);
  return titles.length === 0 ? null : (
    <p class="hint s-warn" role="status">
      {T.looksSecret(titles)}
    </p>
  );
}
