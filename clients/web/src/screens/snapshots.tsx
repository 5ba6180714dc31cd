import type { Undone } from '@aish/contracts/files';
import { formatSize } from '@aish/contracts/effect-lines';
import { snapshotPlace } from '@aish/views/preview.lines';
import { showExact } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { useContext, useState } from 'preact/hooks';
import { Card } from '../parts/frame.js';
import { AllChanges, Undo, UndoResult, Undoable } from '../parts/undo.js';
import { T } from '../texts.js';

/** Shows the states of the workspace that a person can restore, with a preview. */
export function Snapshots(): JSX.Element | null {
  const items = useContext(Undoable);
  // An undo removes its own snapshot from the list, so its result cannot be kept in the snapshot's row.
  const [undone, setUndone] = useState<(Undone & { readonly command: string }) | null>(null);
  if (items.length === 0 && undone === null) return null;
  return (
    <Card title={T.goal.snapshots}>
      {undone === null ? null : <UndoResult {...undone} />}
      <ul class="rows">
        {items.map((snapshot, at) => (
          <li key={snapshot.actionId} class="row still">
            <span class="row-main">
              <code class="exact-line">{showExact(snapshot.command)}</code>
              <AllChanges actionId={snapshot.actionId} />
              <Undo
                snapshot={snapshot}
                later={at}
                done={(result) => setUndone({ ...result, command: snapshot.command })}
              />
            </span>
            <span class="row-side s-dim">
              {snapshotPlace(snapshot)} · {T.goal.kept(formatSize(snapshot.sizeBytes))}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
