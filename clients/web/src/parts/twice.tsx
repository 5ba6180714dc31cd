import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { T } from '../texts.js';

/** How long a first press waits for its second. */
const AGAIN_MS = 4_000;
/** A double click is one gesture, and no second thought. */
const TOO_SOON_MS = 350;

export interface Twice {
  /** It was pressed once. */
  readonly isAsked: boolean;
  readonly press: () => void;
  /** A key that is held down presses once, however often it repeats. */
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** Does something at the second press: what cannot be taken back wants more than a slip of a thumb. */
export function useTwice(done: () => void): Twice {
  const [askedAt, setAskedAt] = useState<number | null>(null);
  useEffect(() => {
    if (askedAt === null) return;
    const late = setTimeout(() => setAskedAt(null), AGAIN_MS);
    return () => clearTimeout(late);
  }, [askedAt]);
  return {
    isAsked: askedAt !== null,
    press: () => {
      const now = performance.now();
      if (askedAt === null) setAskedAt(now);
      else if (now - askedAt > TOO_SOON_MS) {
        setAskedAt(null);
        done();
      }
    },
    onKeyDown: (event) => {
      if (event.repeat) event.preventDefault();
    },
  };
}

export function againLabel(label: string): string {
  return `${T.decision.again} ${label.toLowerCase()}`;
}

/** A button that says after its first press that it wants a second one. */
export function TwiceButton({
  label,
  isDisabled,
  isQuiet = false,
  done,
}: {
  readonly label: string;
  readonly isDisabled: boolean;
  /** Not in the colour of danger before it was pressed. */
  readonly isQuiet?: boolean;
  readonly done: () => void;
}): JSX.Element {
  const { isAsked, press, onKeyDown } = useTwice(done);
  return (
    <button
      type="button"
      class={`${isQuiet && !isAsked ? 'quiet' : 'danger'} ${isAsked ? 'asked' : ''}`}
      disabled={isDisabled}
      onKeyDown={onKeyDown}
      onClick={press}
    >
      {isAsked ? againLabel(label) : label}
    </button>
  );
}
