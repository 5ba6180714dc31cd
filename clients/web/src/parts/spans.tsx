import type { Line } from '@aish/views/line';
import type { JSX } from 'preact';

/** Renders pieces of text in their styles. They become text nodes only, so their content is never read as HTML. */
export function Spans({ of }: { readonly of: Line }): JSX.Element {
  return (
    <>
      {of.map(({ text, style }, index) =>
        style === 'plain' ? (
          text
        ) : style === 'guilty' ? (
          <mark key={index}>{text}</mark>
        ) : (
          <span key={index} class={`s-${style}`}>
            {text}
          </span>
        ),
      )}
    </>
  );
}
