import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { T } from '../texts.js';

const HOLD_MS = 700;
/** How long a first press waits for its second. */
const AGAIN_MS = 4_000;
/** A double click is one gesture, and no second thought. */
const TOO_SOON_MS = 350;

/** What cannot be taken back wants more than a slip of a thumb: a hold, or a second press. With a keyboard: Enter twice. */
export function HoldButton({
  label,
  isDisabled,
  done,
}: {
  readonly label: string;
  readonly isDisabled: boolean;
  readonly done: () => void;
}): JSX.Element {
  const [isHeld, setHeld] = useState(false);
  const [askedAt, setAskedAt] = useState<number | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const wasHeld = useRef(false);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (askedAt === null) return;
    const late = setTimeout(() => setAskedAt(null), AGAIN_MS);
    return () => clearTimeout(late);
  }, [askedAt]);
  const release = (): void => {
    clearTimeout(timer.current);
    setHeld(false);
  };
  return (
    <button
      type="button"
      class={`hold ${isHeld ? 'held' : ''} ${askedAt === null ? '' : 'asked'}`}
      disabled={isDisabled}
      aria-describedby="hold-help"
      onPointerDown={() => {
        wasHeld.current = false;
        setHeld(true);
        timer.current = setTimeout(() => {
          wasHeld.current = true;
          release();
          done();
        }, HOLD_MS);
      }}
      onPointerUp={release}
      onPointerLeave={release}
      onPointerCancel={release}
      onContextMenu={(event) => event.preventDefault()}
      onClick={() => {
        if (wasHeld.current) return;
        const now = performance.now();
        if (askedAt === null) setAskedAt(now);
        else if (now - askedAt > TOO_SOON_MS) {
          setAskedAt(null);
          done();
        }
      }}
    >
      <span class="hold-fill" />
      <span class="hold-label">{askedAt === null ? label : `${T.decision.again} ${label.toLowerCase()}`}</span>
      <span id="hold-help" class="unseen">
        {T.decision.holdHelp}
      </span>
    </button>
  );
}
