import type { RunOutcome } from '@aish/contracts/actions';
import { ChangeList, Effects, Held } from '@aish/contracts/effects';
import type { Hold } from '@aish/contracts/runs';
import { z } from 'zod';
import type { KeeperLine } from './keeper.line.js';

const Layers = z.object({ layers: z.array(z.int()) });
const Top = Layers.extend({ due: z.boolean() });
const Workspaces = z.object({ workspaces: z.array(z.string()), adopted: z.array(z.string()) });
const Runs = z.object({
  runs: z.array(z.object({ run: z.string(), at: z.number(), bytes: z.int(), kept: z.string() })),
});
const Done = z.object({ effects: Effects.nullable() });
const Undone = z.object({ touched: z.array(z.string()).default([]) });
const UndoPreview = Done.extend({ touched: z.array(z.string()) });
const Judged = z.object({ effects: Effects.nullable(), held: Held.nullable() });
const Holder = z.object({ run: z.string().nullable(), waits: z.boolean() });
const Changes = z.object({ changes: ChangeList.extend({ next: z.int().nullable() }).nullable() });
const Stashed = z.object({ stashed: z.boolean() });
const Stale = z.object({ why: z.enum(['gone', 'too old', 'in use', 'files changed']).nullable() });
const Previews = z.object({
  stashed: z.array(z.object({ workspace: z.string(), action: z.string(), at: z.number() })),
  left: z.array(z.object({ workspace: z.string(), run: z.string() })),
});
const Began = z.object({ began: z.boolean() });
const Started = Began.extend({
  /** The run whose layer does not count yet. If there is such a run, the request did nothing. */
  holder: z.string().nullable(),
  waits: z.boolean(),
  preview: z.boolean().default(false),
  /** Whether the run's goal has used up its space for undo. */
  full: z.boolean().default(false),
  /** The reason why the run's effects cannot be reported or undone. */
  unreported: z.string().nullish(),
});
const Ended = Judged.extend({ inFolders: z.boolean(), unreported: z.string().optional() });
const FolderState = z.object({
  state: z.enum(['runs', 'waits', 'go', 'done']).nullable(),
  folders: z.array(z.string()),
  judged: z.boolean(),
});
const FolderRuns = z.object({
  runs: z.array(
    z.object({
      run: z.string(),
      workspace: z.string(),
      state: z.enum(['runs', 'waits', 'go', 'back', 'done']),
      at: z.number(),
      bytes: z.int(),
      folders: z.array(z.string()),
    }),
  ),
});

/** The reason why a stashed preview can no longer be used, or null if it can. */
export type Stale = z.infer<typeof Stale>['why'];

/** The changes that undoing a run would make, and the later changes that prevent undoing it alone. */
export type UndoPreview = z.infer<typeof UndoPreview>;

/** The known effects of a run, and whether they wait for a verdict. */
export type RunChanges = Pick<RunOutcome, 'effects' | 'held'>;

/** The amount of its own files that a goal or chat may destroy without a question. */
export interface OwnFilesLimit {
  readonly files: number;
  readonly bytes: number;
}

/**
 * Limits for keeping old layers. When a limit is exceeded, the oldest layers are merged into the base, and their
 * effects are no longer known.
 */
export interface Kept {
  readonly depth: number;
  readonly bytes: number;
  readonly seconds: number;
}

/** A run that can be undone. */
export interface Undoable {
  readonly runId: string;
  readonly beganAt: Date;
  /** The size of the run's layer. */
  readonly bytes: number;
  /** The value that was passed to `begin`. */
  readonly kept: string;
}

/**
 * Talks to the keeper, a container that lives as long as this service. Only the keeper accesses the layers of all
 * workspaces: it reads, adds, merges and drops them (`scripts/keeper`). It is as hardened as every helper, and has no
 * network.
 */
export class LayerStore {
  constructor(
    private readonly line: KeeperLine,
    private readonly ownMax: OwnFilesLimit,
  ) {}

  /**
   * Adds an empty top layer if there is none. Call this only while nothing has the workspace mounted. While someone
   * `reads` the layers, none are merged, and `due` says that a merge is needed.
   */
  async top(
    workspaceId: string,
    { depth, bytes, seconds }: Kept,
    reads: boolean,
  ): Promise<{ readonly layers: readonly number[]; readonly due: boolean }> {
    return Top.parse(await this.line.ask('top', [workspaceId, depth, bytes, seconds, reads]));
  }

  /**
   * Returns the layers that form the current workspace, for a reader. The list is empty if they are unknown at the
   * moment.
   */
  async readable(workspaceId: string): Promise<readonly number[]> {
    return Layers.parse(await this.line.ask('readable', [workspaceId])).layers;
  }

  /** Records the state of the top layer before a run begins. */
  async mark(workspaceId: string, runId: string): Promise<void> {
    await this.line.ask('mark', [workspaceId, runId]);
  }

  /** Returns the changes since the mark of a run, or null if they are no longer known. */
  async effects(workspaceId: string, runId: string): Promise<Effects | null> {
    return Done.parse(await this.line.ask('effects', [workspaceId, runId])).effects;
  }

  /** Returns the run whose layer does not count yet, and whether it waits for a verdict. */
  async holder(workspaceId: string): Promise<z.infer<typeof Holder>> {
    return Holder.parse(await this.line.ask('holder', [workspaceId]));
  }

  /**
   * Prepares a run in one request. With `hold`, the changes of the run do not count until they are judged. Without
   * `hold`, the state of its layer is recorded. With `kept`, which a later undo needs, the beginning of the run is
   * recorded.
   * @returns `began` is false if the changes must be held and the layer is not empty
   */
  async start(
    workspaceId: string,
    runId: string,
    hold: Hold | null,
    kept: string | null,
  ): Promise<z.infer<typeof Started>> {
    const { origin, mode, named, refusals = [] } = hold ?? {};
    const approved = mode === 'note' ? (named ?? null) : null;
    const judged = hold !== null && (isJudged(hold) || approved !== null);
    const how = hold === null ? null : [origin, judged, mode === 'preview', approved, refusals];
    return Started.parse(await this.line.ask('start', [workspaceId, runId, how, kept]));
  }

  /**
   * Handles the end of a run in one request. Returns its effects and the changes that wait for a verdict, like `judge`.
   * If the run changed host folders, only `inFolders` is returned.
   */
  async end(
    workspaceId: string,
    runId: string,
  ): Promise<{ readonly changes: RunChanges; readonly inFolders: boolean; readonly unreported?: string | undefined }> {
    const { inFolders, unreported, ...judged } = Ended.parse(
      await this.line.ask('end', [workspaceId, runId, this.ownMax.files, this.ownMax.bytes]),
    );
    return { changes: toRunChanges(judged), inFolders, unreported };
  }

  /**
   * Stashes the changes of a preview for its action, and drops all but the newest `most` previews of the workspace.
   * Call this only while nothing has the workspace mounted. @returns false if the preview is no longer known
   */
  async stash(workspaceId: string, runId: string, actionId: string, most: number): Promise<boolean> {
    return Stashed.parse(await this.line.ask('stash', [workspaceId, runId, actionId, most])).stashed;
  }

  /** Returns the reason why an action cannot adopt its preview now, or null if it can. */
  async stale(workspaceId: string, runId: string, actionId: string, maxAgeS: number): Promise<Stale> {
    return Stale.parse(await this.line.ask('stale', [workspaceId, runId, actionId, maxAgeS])).why;
  }

  /**
   * Turns the changes of a preview into those of its action. They must be judged next. Call this only while nothing has
   * the workspace mounted. A repeated call returns the same answer. @returns the reason for a failure, or null if the
   * call succeeded
   */
  async adopt(workspaceId: string, runId: string, actionId: string, hold: Hold, maxAgeS: number): Promise<Stale> {
    const how = [hold.origin, isJudged(hold), maxAgeS];
    return Stale.parse(await this.line.ask('adopt', [workspaceId, runId, actionId, ...how])).why;
  }

  /** Drops the stashed preview of an action. */
  async dropStashed(workspaceId: string, actionId: string): Promise<void> {
    await this.line.ask('dropStashed', [workspaceId, actionId]);
  }

  /** Returns all stashed previews (`at` is in seconds), and the runs of previews that hold a layer. */
  async previews(): Promise<z.infer<typeof Previews>> {
    return Previews.parse(await this.line.ask('previews', []));
  }

  /**
   * Judges a held run. Returns its effects and whether they wait for a verdict. If they do not, they count from now on,
   * unless the run `waits` because of other changes.
   */
  async judge(workspaceId: string, runId: string, waits: boolean): Promise<RunChanges> {
    return toRunChanges(
      Judged.parse(await this.line.ask('judge', [workspaceId, runId, this.ownMax.files, this.ownMax.bytes, waits])),
    );
  }

  /** Makes the changes of a run count. */
  async keep(workspaceId: string, runId: string): Promise<void> {
    await this.line.ask('keep', [workspaceId, runId]);
  }

  /** Drops the changes of a run. Call this only while nothing has the workspace mounted. */
  async takeBack(workspaceId: string, runId: string): Promise<void> {
    await this.line.ask('takeBack', [workspaceId, runId]);
  }

  /** Records that a run begins, so that it can be undone. @returns false if its layer is not empty */
  async begin(workspaceId: string, runId: string, kept: string): Promise<boolean> {
    return Began.parse(await this.line.ask('begin', [workspaceId, runId, kept])).began;
  }

  /** Returns the runs that can be undone, newest first. */
  async runs(workspaceId: string): Promise<readonly Undoable[]> {
    const { runs } = Runs.parse(await this.line.ask('runs', [workspaceId]));
    return runs.map(({ run, at, ...rest }) => ({ runId: run, beganAt: new Date(at * 1000), ...rest }));
  }

  /**
   * Previews the undo of all runs since this one or, with `only`, of just this run. Returns no effects if the run
   * cannot be undone.
   */
  async previewUndo(workspaceId: string, runId: string, only: boolean): Promise<UndoPreview> {
    return UndoPreview.parse(await this.line.ask('previewUndo', [workspaceId, runId, only]));
  }

  /**
   * Restores the workspace to its state before a run or, with `only`, undoes just that run. Does nothing if the run
   * cannot be undone. Call this only while nothing has the workspace mounted.
   * @returns the paths that anyone else has changed since; if there are any, nothing was undone
   */
  async undo(workspaceId: string, runId: string, only: boolean): Promise<readonly string[]> {
    return Undone.parse(await this.line.ask(only ? 'undoAlone' : 'undo', [workspaceId, runId])).touched;
  }

  /**
   * Returns the changes of a run in its workspace, from its layer: at most `limit` changes from index `from`. Returns
   * null if the layer does not exist.
   */
  async changes(workspaceId: string, runId: string, from: number, limit: number): Promise<ChangeList | null> {
    const { changes } = Changes.parse(await this.line.ask('changes', [workspaceId, runId, from, limit]));
    return changes && { ...changes, next: changes.next === null ? null : String(changes.next) };
  }

  /**
   * Returns the state of a run's changes to held folders. `state` is null if there were none, or if nothing is known
   * about them any more.
   */
  async folderState(runId: string): Promise<z.infer<typeof FolderState>> {
    return FolderState.parse(await this.line.ask('folderState', [runId]));
  }

  /** Returns all runs with layers over host folders, newest first. */
  async folderRuns(): Promise<z.infer<typeof FolderRuns>['runs']> {
    return FolderRuns.parse(await this.line.ask('folderRuns', [])).runs;
  }

  /** Removes the layers of a run over host folders. With `old`, the data for its undo is removed too. */
  async dropFolders(runId: string, old = false): Promise<void> {
    await this.line.ask('folderDrop', [runId, old]);
  }

  /** Creates a workspace whose base contains a file, to test layers. */
  async plant(workspaceId: string, name: string): Promise<void> {
    await this.line.ask('plant', [workspaceId, name]);
  }

  async drop(workspaceId: string): Promise<void> {
    await this.line.ask('drop', [workspaceId]);
  }

  /** Returns the workspaces that have layers. For those in `adopted`, the plain volume may still exist. */
  async list(): Promise<z.infer<typeof Workspaces>> {
    return Workspaces.parse(await this.line.ask('list', []));
  }

  /** Ends the container, and waits briefly until it is gone. The next keeper repeats unfinished work. */
  close(): Promise<void> {
    return this.line.close();
  }
}

function toRunChanges({ effects, held }: z.infer<typeof Judged>): RunChanges {
  return { ...(effects !== null && { effects }), ...(held !== null && { held }) };
}

/** Returns whether the changes of a run are judged. The changes of a preview are only shown and never count. */
function isJudged({ mode }: Hold): boolean {
  return mode === 'must' || mode === 'may';
}
