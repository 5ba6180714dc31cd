import { undoApi } from '@aish/contracts/endpoints/files';
import { changeLine, effectsLines } from '@aish/contracts/effect-lines';
import type { ChangeList } from '@aish/contracts/effects';
import type { GoalSnapshotList, UndoPreview, Undone } from '@aish/contracts/files';
import { showExact } from '@aish/views/sanitise';
import { createContext, type JSX } from 'preact';
import { useContext, useState } from 'preact/hooks';
import { call } from '../api.js';
import { T } from '../texts.js';
import { Trouble, useDoing } from './resource.js';

export type Snapshot = GoalSnapshotList['items'][number];

/** The snapshots of the goal or chat on the screen that can be undone, newest first. */
export const Undoable = createContext<readonly Snapshot[]>([]);

/** A button at a command that undoes everything since before that command. */
export function StepUndo({ actionId }: { readonly actionId: string }): JSX.Element | null {
  const items = useContext(Undoable);
  const [undone, setUndone] = useState<Undone | null>(null);
  const at = items.findIndex((each) => each.actionId === actionId);
  const snapshot = items[at];
  if (undone !== null) return <UndoResult {...undone} command={null} />;
  if (snapshot === undefined) return null;
  return (
    <div class="step-undo">
      <Undo snapshot={snapshot} later={at} done={setUndone} />
    </div>
  );
}

/**
 * A button for an undo, which first shows the changes that the undo would make. `later` is the number of later commands
 * that are also undone.
 */
export function Undo({
  snapshot: { actionId },
  later,
  done,
}: {
  readonly snapshot: Snapshot;
  readonly later: number;
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
    <>
      {preview === null ? null : (
        <div aria-live="polite">
          <UndoDoes preview={preview} />
          {later === 0 ? null : <p class="s-warn">{T.goal.undoLater(later)}</p>}
          <DirectFolders names={preview.direct} />
        </div>
      )}
      {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
      <span class="actions">
        {preview === null ? (
          <button
            type="button"
            class="quiet"
            disabled={doing.isBusy}
            onClick={() => void doing.run(async () => setPreview(await call(undoApi.previewUndo, sent)))}
          >
            {T.goal.undo}
          </button>
        ) : (
          <>
            <button type="button" class="primary" disabled={doing.isBusy} onClick={() => void doing.run(undo)}>
              {T.goal.undoDo}
            </button>
            <button type="button" class="quiet" onClick={() => setPreview(null)}>
              {T.cancel}
            </button>
          </>
        )}
      </span>
    </>
  );
}

export function UndoResult({
  command,
  onHosts,
  direct,
}: Pick<Undone, 'onHosts' | 'direct'> & { readonly command: string | null }): JSX.Element {
  return (
    <div role="status">
      <p class="s-good">
        {command === null ? null : (
          <>
            <code>{showExact(command)}</code> ·{' '}
          </>
        )}
        {T.goal.undone}
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

/** Names host folders that commands change directly. Those changes cannot be undone. */
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

/** Shows all changes of a command, page by page. */
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

/** Shows paths with their changes. The symbol carries the meaning, and the colour only repeats it. */
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
