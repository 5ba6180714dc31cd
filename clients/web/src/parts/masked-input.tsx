import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { T } from '../texts.js';

/**
 * An input for a secret. The text is hidden unless the person wants to see it, and hidden again when its form is
 * emptied.
 */
export function MaskedInput({
  name,
  minLength,
  required = false,
}: {
  readonly name: string;
  readonly minLength: number;
  readonly required?: boolean;
}): JSX.Element {
  const [isShown, setShown] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const form = input.current?.form;
    const hide = (): void => setShown(false);
    form?.addEventListener('reset', hide);
    return () => form?.removeEventListener('reset', hide);
  }, []);
  return (
    <span class="masked">
      <input
        ref={input}
        name={name}
        data-secret
        class="mono"
        {...(isShown ? { type: 'text' } : { type: 'password' })}
        required={required}
        minLength={minLength}
        autoComplete="new-password"
        spellcheck={false}
      />
      <button type="button" class="quiet" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
        {isShown ? T.secrets.hide : T.secrets.show}
      </button>
    </span>
  );
}
