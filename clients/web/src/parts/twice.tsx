import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { T } from '../texts.js';

/** The first press waits this long for the second. */
const AGAIN_MS = 4_000;
/** A double click is one gesture, not a confirmation. */
const TOO_SOON_MS = 350;

export interface Twice {
  /** Whether the button was pressed once. */
  readonly isAsked: boolean;
  readonly press: () => void;
  /** Makes a key that is held down press the button only once, however often the key repeats. */
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** Acts on the second press, so that a slip of the thumb cannot start an action that cannot be undone. */
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

/** A button that asks for a second press after the first. */
export function TwiceButton({
  label,
  isDisabled,
  isQuiet = false,
  done,
}: {
  readonly label: string;
  readonly isDisabled: boolean;
  /** Whether the button gets the danger colour only after the first press. */
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
