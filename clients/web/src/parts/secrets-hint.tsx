import { secretsApi } from '@aish/contracts/endpoints/access';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { call } from '../api.js';
import { T } from '../texts.js';

/** The hint waits for a pause in typing, so that not every letter causes a request. */
const PAUSE_MS = 400;
/** A shorter text cannot contain a recognizable secret. */
const TEXT_MIN_CHARS = 12;

/** Warns if a text that is being typed seems to contain a secret, because models would see the secret. */
export function SecretsHint({ text }: { readonly text: string }): JSX.Element | null {
  const [titles, setTitles] = useState<readonly string[]>([]);
  useEffect(() => {
    if (text.length < TEXT_MIN_CHARS) return setTitles([]);
    const gone = new AbortController();
    const timer = setTimeout(() => {
      call(secretsApi.look, { body: { text } }, gone.signal).then(
        (found) => setTitles(found.titles),
        // This is only a hint. Real errors appear when the text is sent.
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
