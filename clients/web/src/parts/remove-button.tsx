import type { JSX } from 'preact';
import { T } from '../texts.js';
import { Trouble, useDoing } from './resource.js';
import { TwiceButton } from './twice.js';

/** A button that removes something on the second press. */
export function RemoveButton({
  remove,
  done,
  label = T.remove,
}: {
  readonly remove: () => Promise<unknown>;
  readonly done: () => void;
  readonly label?: string;
}): JSX.Element {
  const doing = useDoing();
  const removed = async (): Promise<void> => {
    await remove();
    done();
  };
  return (
    <span class="row-side">
      <TwiceButton label={label} isDisabled={doing.isBusy} isQuiet done={() => void doing.run(removed)} />
      {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
    </span>
  );
}
