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
  /** Whose layer does not count yet: then nothing was done. */
  holder: z.string().nullable(),
  waits: z.boolean(),
  preview: z.boolean().default(false),
  /** Its goal has used up its room for undo. */
  full: z.boolean().default(false),
  /** Why it cannot be told or undone what the run does. */
  untold: z.string().nullish(),
});
const Ended = Judged.extend({ inFolders: z.boolean(), untold: z.string().optional() });
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

/** Why what was set aside cannot count any more; null where it can. */
export type Stale = z.infer<typeof Stale>['why'];

/** What undoing a run would do, and which later changes prevent undoing it alone. */
export type UndoPreview = z.infer<typeof UndoPreview>;

/** What a run did, as far as that is known, and whether it waits for a verdict. */
export type Told = Pick<RunOutcome, 'effects' | 'held'>;

/** How much of what its own goal or chat made a command may destroy unasked. */
export interface OwnMax {
  readonly files: number;
  readonly bytes: number;
}

/** When old layers are merged into the base, and what they did is no longer known. */
export interface Kept {
  readonly depth: number;
  readonly bytes: number;
  readonly seconds: number;
}

/** A run that can be undone. */
export interface Undoable {
  readonly runId: string;
  readonly beganAt: Date;
  /** What its layer holds. */
  readonly bytes: number;
  /** What was given to `begin`. */
  readonly kept: string;
}

/**
 * A container that lives as long as this service and alone has the layers of all workspaces: it reads, adds, merges and
 * drops them (`scripts/keeper`). As hardened as every helper, without network.
 */
export class LayerStore {
  constructor(
    private readonly line: KeeperLine,
    private readonly ownMax: OwnMax,
  ) {}

  /**
   * Makes an empty layer on top, if there is none. Only while nothing has the workspace mounted. While somebody `reads` the
   * layers it merges none, and says with `due` that it should.
   */
  async top(
    workspaceId: string,
    { depth, bytes, seconds }: Kept,
    reads: boolean,
  ): Promise<{ readonly layers: readonly number[]; readonly due: boolean }> {
    return Top.parse(await this.line.ask('top', [workspaceId, depth, bytes, seconds, reads]));
  }

  /** The layers that are the workspace as it is now, to be read; none where that cannot be told now. */
  async readable(workspaceId: string): Promise<readonly number[]> {
    return Layers.parse(await this.line.ask('readable', [workspaceId])).layers;
  }

  /** Remembers how the layer on top is, before a run begins. */
  async mark(workspaceId: string, runId: string): Promise<void> {
    await this.line.ask('mark', [workspaceId, runId]);
  }

  /** What has changed since the mark of a run; null where that is not known any more. */
  async effects(workspaceId: string, runId: string): Promise<Effects | null> {
    return Done.parse(await this.line.ask('effects', [workspaceId, runId])).effects;
  }

  /** Whose layer does not count yet, and whether it waits for a verdict. */
  async holder(workspaceId: string): Promise<z.infer<typeof Holder>> {
    return Holder.parse(await this.line.ask('holder', [workspaceId]));
  }

  /**
   * All that a run asks before it begins, at once. With `hold` what it does from now on does not count yet, otherwise it is
   * remembered how its layer is. With `kept`, which is to be known when it is undone, it is noted that it begins.
   * @returns `began` false when it is to be held and its layer is not empty.
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
   * All that is asked when a run has ended: what it did, and what of that waits for a verdict, as `judge` says it.
   * Nothing yet where it did something to folders of the host (`inFolders`).
   */
  async end(
    workspaceId: string,
    runId: string,
  ): Promise<{ readonly told: Told; readonly inFolders: boolean; readonly untold?: string | undefined }> {
    const { inFolders, untold, ...said } = Ended.parse(
      await this.line.ask('end', [workspaceId, runId, this.ownMax.files, this.ownMax.bytes]),
    );
    return { told: told(said), inFolders, untold };
  }

  /**
   * Sets aside what a preview did, for its action; of a workspace the newest `most` are kept. Only while nothing has the
   * workspace mounted. @returns false when nobody knows the preview any more.
   */
  async stash(workspaceId: string, runId: string, actionId: string, most: number): Promise<boolean> {
    return Stashed.parse(await this.line.ask('stash', [workspaceId, runId, actionId, most])).stashed;
  }

  /** Why what a preview did cannot be adopted by its action now; null where it can. */
  async stale(workspaceId: string, runId: string, actionId: string, maxAgeS: number): Promise<Stale> {
    return Stale.parse(await this.line.ask('stale', [workspaceId, runId, actionId, maxAgeS])).why;
  }

  /**
   * Makes what a preview did what its action did; it is to be judged next. Only while nothing has the workspace mounted.
   * Asked again it says the same. @returns why not, null where it did.
   */
  async adopt(workspaceId: string, runId: string, actionId: string, hold: Hold, maxAgeS: number): Promise<Stale> {
    const how = [hold.origin, isJudged(hold), maxAgeS];
    return Stale.parse(await this.line.ask('adopt', [workspaceId, runId, actionId, ...how])).why;
  }

  /** Forgets what was set aside for an action. */
  async dropStashed(workspaceId: string, actionId: string): Promise<void> {
    await this.line.ask('dropStashed', [workspaceId, actionId]);
  }

  /** All that was set aside (`at` in seconds), and the runs of previews that hold a layer. */
  async previews(): Promise<z.infer<typeof Previews>> {
    return Previews.parse(await this.line.ask('previews', []));
  }

  /**
   * What a run did that was held, and whether it waits for a verdict; otherwise it counts from now on, unless it `waits`
   * for what the run did elsewhere.
   */
  async judge(workspaceId: string, runId: string, waits: boolean): Promise<Told> {
    return told(
      Judged.parse(await this.line.ask('judge', [workspaceId, runId, this.ownMax.files, this.ownMax.bytes, waits])),
    );
  }

  /** Lets count what a run did. */
  async keep(workspaceId: string, runId: string): Promise<void> {
    await this.line.ask('keep', [workspaceId, runId]);
  }

  /** Undoes what a run did. Only while nothing has the workspace mounted. */
  async takeBack(workspaceId: string, runId: string): Promise<void> {
    await this.line.ask('takeBack', [workspaceId, runId]);
  }

  /** Notes that a run begins, so that it can be undone. @returns false where its layer has something in it already. */
  async begin(workspaceId: string, runId: string, kept: string): Promise<boolean> {
    return Began.parse(await this.line.ask('begin', [workspaceId, runId, kept])).began;
  }

  /** The runs that can be undone, the newest first. */
  async runs(workspaceId: string): Promise<readonly Undoable[]> {
    const { runs } = Runs.parse(await this.line.ask('runs', [workspaceId]));
    return runs.map(({ run, at, ...rest }) => ({ runId: run, beganAt: new Date(at * 1000), ...rest }));
  }

  /** What undoing a run would do to the workspace, or what it did `only`; no effects where it cannot be undone. */
  async previewUndo(workspaceId: string, runId: string, only: boolean): Promise<UndoPreview> {
    return UndoPreview.parse(await this.line.ask('previewUndo', [workspaceId, runId, only]));
  }

  /**
   * Makes the workspace what it was before a run, or takes back what it did `only`; nothing where it cannot be undone.
   * Only while nothing has it mounted.
   * @returns what others have touched since: then nothing was done.
   */
  async undo(workspaceId: string, runId: string, only: boolean): Promise<readonly string[]> {
    return Undone.parse(await this.line.ask(only ? 'undoAlone' : 'undo', [workspaceId, runId])).touched;
  }

  /** All that a run did to its workspace, from its layer: `limit` at most from the nth on; null where that is not there. */
  async changes(workspaceId: string, runId: string, from: number, limit: number): Promise<ChangeList | null> {
    const { changes } = Changes.parse(await this.line.ask('changes', [workspaceId, runId, from, limit]));
    return changes && { ...changes, next: changes.next === null ? null : String(changes.next) };
  }

  /** What became of what a run did to held folders of the host; `state` null: it had none, or nothing is known any more. */
  async folderState(runId: string): Promise<z.infer<typeof FolderState>> {
    return FolderState.parse(await this.line.ask('folderState', [runId]));
  }

  /** All runs with layers over folders of the host, the newest first. */
  async folderRuns(): Promise<z.infer<typeof FolderRuns>['runs']> {
    return FolderRuns.parse(await this.line.ask('folderRuns', [])).runs;
  }

  /** Forgets the layers of a run over folders of the host, with `old` also what its undo needs. */
  async dropFolders(runId: string, old = false): Promise<void> {
    await this.line.ask('folderDrop', [runId, old]);
  }

  /** Makes a workspace whose base holds a file, to try layers out. */
  async plant(workspaceId: string, name: string): Promise<void> {
    await this.line.ask('plant', [workspaceId, name]);
  }

  async drop(workspaceId: string): Promise<void> {
    await this.line.ask('drop', [workspaceId]);
  }

  /** The workspaces that have layers; `adopted` are those whose plain volume may be there still. */
  async list(): Promise<z.infer<typeof Workspaces>> {
    return Workspaces.parse(await this.line.ask('list', []));
  }

  /** Ends the container, and waits a moment until it is gone; what it was doing is done again by the next one. */
  close(): Promise<void> {
    return this.line.close();
  }
}

function told({ effects, held }: z.infer<typeof Judged>): Told {
  return { ...(effects !== null && { effects }), ...(held !== null && { held }) };
}

/** Of a preview it is shown, not judged, and it never counts. */
function isJudged({ mode }: Hold): boolean {
  return mode === 'must' || mode === 'may';
}
