import { undoApi } from '@aish/contracts/endpoints/files';
import type { GoalSnapshotList, UndoPreview, Undone } from '@aish/contracts/files';
import { changeLine, effectsLines, formatSize } from '@aish/contracts/effect-lines';
import type { ChangeList } from '@aish/contracts/effects';
import { showExact } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../api.js';
import { Card } from '../parts/frame.js';
import { Trouble, useDoing, useResource } from '../parts/resource.js';
import { T } from '../texts.js';

/** The states of the workspace that a person can go back to, and what going back would do before it is done. */
export function Snapshots({ goal }: { readonly goal: number }): JSX.Element | null {
  const snapshots = useResource(undoApi.list, { params: { ref: goal } }, true);
  // An undo removes its own snapshot from the list, so its result cannot be kept in that row.
  const [undone, setUndone] = useState<(Undone & { readonly command: string }) | null>(null);
  const items = snapshots.data?.items ?? [];
  if (items.length === 0 && undone === null) return null;
  return (
    <Card title={T.goal.snapshots}>
      {undone === null ? null : <UndoResult {...undone} />}
      <ul class="rows">
        {items.map((snapshot) => (
          <Snapshot
            key={snapshot.actionId}
            snapshot={snapshot}
            done={(result) => setUndone({ ...result, command: snapshot.command })}
          />
        ))}
      </ul>
    </Card>
  );
}

function UndoResult({
  command,
  onHosts,
  direct,
}: Pick<Undone, 'onHosts' | 'direct'> & { readonly command: string }): JSX.Element {
  return (
    <div role="status">
      <p class="s-good">
        <code>{showExact(command)}</code> · {T.goal.undone}
      </p>
      {onHosts.length === 0 ? null : (
        <p class="s-warn">
          {T.goal.onHosts} {onHosts.map((each) => `${each.host}: ${showExact(each.command)}`).join('; ')}
        </p>
      )}
      <DirectFolders names={direct} />
    </div>
  );
}

/** Host folders that commands change directly: nothing takes those changes back. */
function DirectFolders({ names }: { readonly names: readonly string[] }): JSX.Element {
  return (
    <>
      {names.map((name) => (
        <p key={name} class="s-bad">
          {T.goal.undoDirect(name)}
        </p>
      ))}
    </>
  );
}

function Snapshot({
  snapshot: { actionId, command, stepNumber, sizeBytes },
  done,
}: {
  readonly snapshot: GoalSnapshotList['items'][number];
  readonly done: (undone: Undone) => void;
}): JSX.Element {
  const [preview, setPreview] = useState<UndoPreview | null>(null);
  const doing = useDoing();
  const sent = { params: { id: actionId } };
  async function undo(): Promise<void> {
    done(await call(undoApi.undo, sent));
    setPreview(null);
  }
  return (
    <li class="row still">
      <span class="row-main">
        <code class="exact-line">{showExact(command)}</code>
        <AllChanges actionId={actionId} />
        {preview === null ? null : <UndoDoes preview={preview} />}
        <DirectFolders names={preview?.direct ?? []} />
        {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
      </span>
      <span class="row-side">
        <span class="s-dim">
          step {stepNumber} · {T.goal.kept(formatSize(sizeBytes))}
        </span>
        {preview === null ? (
          <button
            type="button"
            disabled={doing.isBusy}
            onClick={() => void doing.run(async () => setPreview(await call(undoApi.previewUndo, sent)))}
          >
            {T.goal.undo}
          </button>
        ) : (
          <button type="button" class="primary" disabled={doing.isBusy} onClick={() => void doing.run(undo)}>
            {T.goal.undoDo}
          </button>
        )}
      </span>
    </li>
  );
}

function UndoDoes({ preview: { effects } }: { readonly preview: UndoPreview }): JSX.Element {
  if (effects === null) return <p class="s-dim">{T.goal.undoUnknown}</p>;
  const lines = effectsLines(effects);
  if (lines.length === 0) return <p class="s-dim">{T.goal.undoNothing}</p>;
  return (
    <>
      <p class="s-dim">{T.goal.undoDoes}</p>
      <DifferenceLines lines={lines} />
    </>
  );
}

/** All that a command did to files, by the page. */
export function AllChanges({ actionId }: { readonly actionId: string }): JSX.Element {
  const [all, setAll] = useState<ChangeList | null>(null);
  const doing = useDoing();
  const isMore = all === null || all.next !== null;
  async function more(): Promise<void> {
    const page = await call(undoApi.changes, { params: { id: actionId }, query: { cursor: all?.next ?? undefined } });
    setAll({ ...page, items: [...(all?.items ?? []), ...page.items] });
  }
  return (
    <div aria-live="polite">
      {all === null ? null : <DifferenceLines lines={all.items.map((each) => changeLine(each))} />}
      {all?.total === 0 ? <p class="s-dim">{T.goal.noChanges}</p> : null}
      {all?.complete === false ? <p class="s-warn">{T.goal.changesCut}</p> : null}
      {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
      {isMore ? (
        <button type="button" class="quiet" disabled={doing.isBusy} onClick={() => void doing.run(more)}>
          {all === null ? T.goal.changes : T.goal.moreChanges(all.total - all.items.length)}
        </button>
      ) : null}
    </div>
  );
}

/** Paths with what became of each: the sign says it, the colour only repeats it. */
export function DifferenceLines({ lines }: { readonly lines: readonly string[] }): JSX.Element {
  return (
    <ul class="difference">
      {lines.map((each, index) => {
        const line = each.trimStart();
        const kind = line.startsWith('−')
          ? 'gone'
          : line.startsWith('~')
            ? 'changed'
            : line.startsWith('+')
              ? 'new'
              : '';
        return (
          <li key={index} class={kind}>
            {showExact(line)}
          </li>
        );
      })}
    </ul>
  );
}
