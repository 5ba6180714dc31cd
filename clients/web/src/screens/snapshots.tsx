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
  const items = snapshots.data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <Card title={T.goal.snapshots}>
      <ul class="rows">
        {items.map((snapshot) => (
          <Snapshot key={snapshot.actionId} {...snapshot} />
        ))}
      </ul>
    </Card>
  );
}

function Snapshot({
  actionId,
  command,
  stepNumber,
  sizeBytes,
}: Pick<GoalSnapshotList['items'][number], 'actionId' | 'command' | 'stepNumber' | 'sizeBytes'>): JSX.Element {
  const [preview, setPreview] = useState<UndoPreview | null>(null);
  const [done, setDone] = useState<Undone | null>(null);
  const doing = useDoing();
  const sent = { params: { id: actionId } };
  return (
    <li class="row still">
      <span class="row-main">
        <code class="exact-line">{showExact(command)}</code>
        {done === null ? <AllChanges actionId={actionId} /> : null}
        {preview === null || done !== null ? null : <UndoDoes preview={preview} />}
        {done === null ? null : (
          <p class="s-good" role="status">
            {T.goal.undone}
          </p>
        )}
        {done === null || done.onHosts.length === 0 ? null : (
          <p class="s-warn">
            {T.goal.onHosts} {done.onHosts.map(({ host, command: ran }) => `${host}: ${showExact(ran)}`).join('; ')}
          </p>
        )}
        {((done ?? preview)?.direct ?? []).map((name) => (
          <p key={name} class="s-bad">
            {T.goal.undoDirect(name)}
          </p>
        ))}
        {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
      </span>
      <span class="row-side">
        <span class="s-dim">
          step {stepNumber} · {T.goal.kept(formatSize(sizeBytes))}
        </span>
        {done !== null ? null : preview === null ? (
          <button
            type="button"
            disabled={doing.isBusy}
            onClick={() => void doing.run(async () => setPreview(await call(undoApi.previewUndo, sent)))}
          >
            {T.goal.undo}
          </button>
        ) : (
          <button
            type="button"
            class="primary"
            disabled={doing.isBusy}
            onClick={() => void doing.run(async () => setDone(await call(undoApi.undo, sent)))}
          >
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
