import type { JSX } from 'preact';
import { ask } from '../api.js';
import { T } from '../texts.js';
import { Trouble, useDoing } from './resource.js';
import { TwiceButton } from './twice.js';

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
  const doing = useDoing();
  const remove = async (): Promise<void> => {
    await ask('DELETE', path);
    done();
  };
  return (
    <span class="row-side">
      <TwiceButton label={label} isDisabled={doing.isBusy} isQuiet done={() => void doing.run(remove)} />
      {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
    </span>
  );
}
