import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { T } from '../texts.js';
import { againLabel, useTwice } from './twice.js';

const HOLD_MS = 700;

/** A button for an action that cannot be undone. It needs a hold or a second press or, with a keyboard, Enter twice. */
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
  const { isAsked, press, onKeyDown } = useTwice(done);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const wasHeld = useRef(false);
  useEffect(() => () => clearTimeout(timer.current), []);
  const release = (): void => {
    clearTimeout(timer.current);
    setHeld(false);
  };
  return (
    <button
      type="button"
      class={`hold ${isHeld ? 'held' : ''} ${isAsked ? 'asked' : ''}`}
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
      onKeyDown={(event) => {
        wasHeld.current = false;
        onKeyDown(event);
      }}
      onClick={() => {
        if (!wasHeld.current) press();
      }}
    >
      <span class="hold-fill" />
      <span class="hold-label">{isAsked ? againLabel(label) : label}</span>
      <span id="hold-help" class="unseen">
        {T.decision.holdHelp}
      </span>
    </button>
  );
}
