import type { JSX, Ref, TargetedKeyboardEvent, TextareaHTMLAttributes } from 'preact';
import { useState } from 'preact/hooks';
import { T } from '../texts.js';

/** No count is shown below this share of the limit. */
const COUNTED_FROM = 0.8;

/** Sends the form of a box when Enter is pressed. Shift-Enter starts a new line. */
export function sendOnEnter(event: TargetedKeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  if (!event.repeat) event.currentTarget.form?.requestSubmit();
}

/**
 * A text box that grows with its text, and counts the characters near its limit. A text that is too long stays complete
 * and cannot be sent, because cutting it would silently lose the end of a paste.
 */
export function TextBox({
  limit,
  box,
  write,
  ...rest
}: Omit<TextareaHTMLAttributes, 'onInput' | 'ref' | 'maxLength' | 'value' | 'defaultValue'> & {
  readonly limit: number;
  readonly value?: string;
  readonly defaultValue?: string;
  readonly box?: Ref<HTMLTextAreaElement>;
  readonly write?: (text: string) => void;
}): JSX.Element {
  const [typed, setTyped] = useState(rest.value ?? rest.defaultValue ?? '');
  const { length } = rest.value ?? typed;
  const words = T.characters(length, limit);
  return (
    <>
      <textarea
        {...rest}
        {...(box === undefined ? {} : { ref: box })}
        aria-invalid={length > limit}
        onInput={({ currentTarget }) => {
          currentTarget.setCustomValidity(
            currentTarget.value.length > limit ? T.tooLong(currentTarget.value.length - limit) : '',
          );
          setTyped(currentTarget.value);
          write?.(currentTarget.value);
        }}
      />
      <small class={`count ${length > limit ? 's-bad' : ''}`} role="status">
        {length < limit * COUNTED_FROM ? '' : length > limit ? `${words} ${T.tooLong(length - limit)}` : words}
      </small>
    </>
  );
}
