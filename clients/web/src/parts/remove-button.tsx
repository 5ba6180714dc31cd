import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ask } from '../api.js';
import { T } from '../texts.js';
import { Trouble, useDoing } from './resource.js';

/** Removes one thing, at the second press. */
export function RemoveButton({
  path,
  done,
  label = T.remove,
}: {
  readonly path: string;
  readonly done: () => void;
  readonly label?: string;
}): JSX.Element {
  const [isAsked, setAsked] = useState(false);
  const doing = useDoing();
  return (
    <span class="row-side">
      <button
        type="button"
        class={isAsked ? 'danger' : 'quiet'}
        disabled={doing.isBusy}
        onBlur={() => setAsked(false)}
        onClick={() => {
          if (!isAsked) setAsked(true);
          else
            void doing.run(async () => {
              await ask('DELETE', path);
              done();
            });
        }}
      >
        {isAsked ? `${T.decision.again} ${label.toLowerCase()}` : label}
      </button>
      {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
    </span>
  );
}
