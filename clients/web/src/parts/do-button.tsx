import type { ComponentChildren, JSX } from 'preact';
import type { Doing } from './resource.js';

/** A button that does one thing, and ignores further presses until it is done. */
export function DoButton({
  doing,
  act,
  isQuiet = true,
  children,
}: {
  readonly doing: Doing;
  readonly act: () => Promise<void>;
  readonly isQuiet?: boolean;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <button type="button" class={isQuiet ? 'quiet' : ''} disabled={doing.isBusy} onClick={() => void doing.run(act)}>
      {children}
    </button>
  );
}
