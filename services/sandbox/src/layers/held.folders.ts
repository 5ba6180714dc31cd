import { randomUUID } from 'node:crypto';
import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import { Effects, HeldItem, Refused } from '@aish/contracts/effects';
import { AishError, isAishError } from '@aish/contracts/problems';
import type { RunRequest } from '@aish/contracts/runs';
import type { Logger } from '@aish/http';
import type Docker from 'dockerode';
import { z } from 'zod';
import { LABELS } from '../engine/container-spec.js';
import type { DockerEngine } from '../engine/docker.engine.js';
import type { HelperEngine } from '../engine/helper.engine.js';
import { keeperCommand } from '../engine/script.js';
import { layersVolume } from './keeper.line.js';
import type { LayerStore } from './layer.store.js';
import type { Layers } from './layers.js';
import type { HeldFolder, HostFolders } from '../host-folders/host-folders.js';
import type { FolderChanges } from './folder-changes.js';

const MIB = 2 ** 20;
const DAY_MS = 86_400_000;
const TIMEOUT_MS = 10 * 60_000;
const ANSWER_MAX_BYTES = 2 * MIB;
/** This label on the volume of a layer over a host folder names the run. */
const HELD_LABEL = 'dev.aish.held';

const Lost = z.object({ files: z.int(), bytes: z.int() });
const Judged = z.object({
  effects: Effects,
  lost: z.object({ deleted: Lost, changed: Lost }),
  conflicts: z.array(z.string()),
  skipped: z.array(z.string()),
  diff: z.string(),
  undoable: z.boolean(),
  changed: z.boolean(),
  items: z.array(HeldItem).default([]),
  refused: z.array(Refused).default([]),
  state: z.enum(['waits', 'go', 'done']),
});
const Unfit = z.object({ unfit: z.record(z.string(), z.string()) });
const Carried = z.object({
  conflicts: z.array(z.string()),
  /** Changes that could not be written, because someone removed their folder at the last moment. */
  missed: z.array(z.string()).default([]),
});
const FolderUndoPreview = z.object({
  effects: Effects.nullable(),
  touched: z.array(z.string()),
  undoable: z.boolean(),
});

/** The changes to host folders that the undo of a run would make. */
export type FolderUndoPreview = z.infer<typeof FolderUndoPreview>;

export interface HeldFoldersParts {
  readonly hostFolders: HostFolders;
  readonly helpers: HelperEngine;
  readonly layerStore: LayerStore;
  readonly layers: Layers;
  readonly engine: DockerEngine;
}

/**
 * Manages host folders that commands write to through a layer. When a command has ended, its layer becomes the journal
 * of a write to the host (`scripts/keeper/plan.py`). Once the changes count, a helper that mounts the folder writes all
 * of them to the host, or none, even if something is killed half-way (`scripts/keeper/carry.py`).
 */
export class HeldFolders {
  private readonly tried = new Map<string, Promise<string | null>>();
  /** Runs that exist only to test whether folders can be held. */
  private readonly trials = new Set<string>();

  constructor(
    private readonly parts: HeldFoldersParts,
    private readonly config: SandboxConfig,
    private readonly logger: Logger,
  ) {}

  /**
   * Creates layers over these folders for a run. @returns the mounts of the layers
   * @throws AishError `mount_not_allowed` if a folder cannot be held, `mount_missing`
   */
  async begin(
    { workspaceId, runId, hold }: Pick<RunRequest, 'workspaceId' | 'runId' | 'hold'>,
    folders: readonly HeldFolder[],
  ): Promise<readonly Docker.MountSettings[]> {
    for (const folder of folders) await this.needFit(folder);
    const meta = {
      workspace: workspaceId,
      origin: hold?.origin ?? workspaceId,
      judged: hold?.mode !== 'note' || hold.named !== undefined,
      named: hold?.mode === 'note' ? (hold.named ?? null) : null,
      refusals: hold?.refusals ?? [],
      folders: folders.map(({ name, containerPath }) => ({ name, path: containerPath })),
    };
    const { unfit } = Unfit.parse(await this.ask('folderBegin', [runId, meta], folders));
    const [first] = Object.entries(unfit);
    if (first !== undefined) throw this.refused(...first);
    return Promise.all(folders.map((folder, i) => this.mount(runId, i, folder)));
  }

  /**
   * Returns the changes that a run made to held folders before it ended, or null if there are none. A repeated call
   * returns the same answer.
   */
  async look(runId: string): Promise<FolderChanges | null> {
    const { state, folders: names, judged } = await this.parts.layerStore.folderState(runId);
    if (state === null) return null;
    const keepMax = this.config.SNAPSHOTS_MAX_MB * MIB;
    const judgement = Judged.parse(await this.askAbout(names, 'folderJudge', [runId, keepMax]));
    if (!judgement.changed) {
      await this.drop(runId);
      return null;
    }
    const { effects, lost, conflicts, skipped, diff, undoable, items, refused } = judgement;
    const destroys =
      items.length + lost.deleted.files + lost.changed.files > 0 || !effects.complete || skipped.length > 0;
    return {
      effects,
      deleted: lost.deleted,
      overwritten: lost.changed,
      items,
      refused,
      conflicts,
      asks: judgement.state === 'waits' && ((judged && destroys) || !effects.complete || conflicts.length > 0),
      folders: { names, skipped, diff, undoable },
    };
  }

  /**
   * Writes the changes of a run to the host. @returns the paths that someone has since changed on the host; if there
   * are any, nothing was written
   */
  async carry(runId: string): Promise<readonly string[]> {
    const { state, folders } = await this.parts.layerStore.folderState(runId);
    if (state === null || state === 'done') return [];
    return this.carried(runId, await this.askAbout(folders, 'folderCarry', [runId]));
  }

  /** Forgets the changes of a run that were not written to the host. */
  async drop(runId: string): Promise<void> {
    await this.parts.layerStore.dropFolders(runId);
  }

  /**
   * Returns the runs of a workspace whose changes were written to the host, from the newest back to this run. `only`
   * returns just this run.
   */
  async since(workspaceId: string, runId: string, only: boolean, beganAt: Date): Promise<readonly string[]> {
    const runs = (await this.parts.layerStore.folderRuns()).filter(({ workspace }) => workspace === workspaceId);
    const own = runs.find(({ run }) => run === runId);
    const from = own?.at ?? beganAt.getTime() / 1_000;
    const carried = runs.filter(({ state }) => state === 'done' || state === 'back');
    return carried.filter(({ run, at }) => (only ? run === runId : at >= from)).map(({ run }) => run);
  }

  /** Previews the undo of these runs, which are given newest first. */
  async previewUndo(runIds: readonly string[]): Promise<readonly FolderUndoPreview[]> {
    const previews: FolderUndoPreview[] = [];
    for (const [i, runId] of runIds.entries()) {
      const { folders } = await this.parts.layerStore.folderState(runId);
      previews.push(
        FolderUndoPreview.parse(await this.askAbout(folders, 'previewFolderUndo', [runId, runIds.slice(0, i)])),
      );
    }
    return previews;
  }

  /**
   * Undoes all changes of a run. @returns the paths that someone else has since changed; if there are any, nothing was
   * undone
   */
  async undo(runId: string): Promise<readonly string[]> {
    const { folders } = await this.parts.layerStore.folderState(runId);
    return this.carried(runId, await this.askAbout(folders, 'folderUndo', [runId]));
  }

  /** Completes operations that a crash interrupted, forgets changes that can no longer be undone, and tests folders. */
  async sweep(): Promise<void> {
    const { layerStore, layers, hostFolders } = this.parts;
    if (!(await layers.works())) return;
    for (const name of hostFolders.held) await this.tryQuietly(name);
    const kept = new Map<string, { count: number; bytes: number }>();
    for (const { run, workspace, state, at, bytes, folders } of await layerStore.folderRuns()) {
      if (state === 'go') await this.finish(folders, 'folderCarry', run);
      else if (state === 'back') await this.finish(folders, 'folderUndo', run);
      else if (state === 'done') {
        const all = kept.get(workspace) ?? { count: 0, bytes: 0 };
        kept.set(workspace, { count: all.count + 1, bytes: all.bytes + bytes });
        const isOld = Date.now() - at * 1_000 > this.config.UNDO_DAYS * DAY_MS;
        const isMuch = all.count >= this.config.UNDO_COMMANDS || all.bytes + bytes > this.config.SNAPSHOTS_MAX_MB * MIB;
        if (isOld || isMuch) await layerStore.dropFolders(run, true);
      } else if (!this.trials.has(run) && (await layerStore.holder(workspace)).run !== run)
        await layerStore.dropFolders(run);
    }
    await this.removeVolumes();
  }

  private async finish(names: readonly string[], question: 'folderCarry' | 'folderUndo', runId: string): Promise<void> {
    try {
      this.carried(runId, await this.askAbout(names, question, [runId]));
      this.logger.info({ runId, folders: names }, 'a carry-over to folders of the host that was cut is done');
    } catch (error) {
      this.logger.warn({ err: error, runId, folders: names }, 'a carry-over to folders of the host is not done yet');
    }
  }

  private carried(runId: string, answer: unknown): readonly string[] {
    const { conflicts, missed } = Carried.parse(answer);
    if (missed.length > 0) this.logger.warn({ runId, missed }, 'some of it had no place on the host any more');
    return conflicts;
  }

  /** Removes the volumes of runs that have ended. The engine keeps volumes that a container mounts. */
  private async removeVolumes(): Promise<void> {
    const runs = await this.parts.layerStore.folderRuns();
    for (const { name, labels } of await this.parts.helpers.volumes(HELD_LABEL)) {
      const run = runs.find((each) => each.run === labels[HELD_LABEL]);
      if (run?.state !== 'runs') await this.parts.helpers.removeVolume(name);
    }
  }

  private async mount(runId: string, i: number, { source, containerPath }: HeldFolder): Promise<Docker.MountSettings> {
    const Name = await this.overlay(runId, i, source);
    return { Type: 'volume', Source: Name, Target: containerPath, ReadOnly: false, VolumeOptions: NO_COPY };
  }

  private async overlay(runId: string, i: number, source: string): Promise<string> {
    const { engine } = this.parts;
    const Name = `aish-held-${this.config.SANDBOX_INSTANCE}-${runId}-${i}`;
    const layer = `${await engine.mountpointOf(layersVolume(this.config.SANDBOX_INSTANCE))}/.folders/${runId}/${i}`;
    const o = `lowerdir=${source},upperdir=${layer}/u,workdir=${layer}/w,userxattr`;
    await engine.ask((docker) =>
      docker.createVolume({
        Name,
        Driver: 'local',
        DriverOpts: { type: 'overlay', device: 'overlay', o },
        Labels: { [LABELS.instance]: this.config.SANDBOX_INSTANCE, [HELD_LABEL]: runId },
      }),
    );
    return Name;
  }

  /** Checks that the changes of a folder can be held. @throws AishError `mount_not_allowed` if they cannot */
  private async needFit(folder: HeldFolder): Promise<void> {
    if (!(await this.parts.layers.works())) throw this.refused(folder.name, this.parts.layers.whyOff ?? 'no layers');
    const why = await this.tryOut(folder);
    if (why !== null) throw this.refused(folder.name, why);
  }

  private async tryQuietly(name: string): Promise<void> {
    try {
      const [folder] = await this.parts.hostFolders.heldOf([name]);
      if (folder !== undefined) await this.tryOut(folder);
    } catch (error) {
      if (!isAishError(error)) throw error;
      // The folder is missing now. The next command that needs it gets the error.
    }
  }

  /** Mounts a test layer over a folder. @returns the reason why the folder cannot be held, or null if it can */
  private tryOut(folder: HeldFolder): Promise<string | null> {
    const known = this.tried.get(folder.source);
    if (known !== undefined) return known;
    const trying = this.tryAndNote(folder);
    this.tried.set(folder.source, trying);
    return trying;
  }

  private async tryAndNote(folder: HeldFolder): Promise<string | null> {
    try {
      const why = await this.tryMount(folder);
      this.parts.hostFolders.note(folder.name, why);
      if (why !== null) this.logger.warn({ folder: folder.name, why }, 'a folder of the host cannot be held');
      return why;
    } catch (error) {
      this.tried.delete(folder.source);
      throw error;
    }
  }

  private async tryMount(folder: HeldFolder): Promise<string | null> {
    const { layerStore, helpers } = this.parts;
    const id = randomUUID();
    this.trials.add(id);
    const meta = { workspace: id, origin: id, judged: true, folders: [{ name: folder.name, path: '/' }] };
    const { unfit } = Unfit.parse(await this.ask('folderBegin', [id, meta], [folder]));
    const why = unfit[folder.name];
    if (why !== undefined) return why;
    const volume = await this.overlay(id, 0, folder.source);
    try {
      const command = ['bash', '-c', 'cd /workspace && : >.aish-trial && rm .aish-trial'];
      const task = { command, volumes: [{ volume, target: '/workspace' as const, readOnly: false }], readsAll: true };
      const end = await helpers.run({ ...task, timeoutMs: 30_000 }, new AbortController().signal, 1_024);
      return end.exitCode === 0
        ? null
        : end.stderr.trim() || `a command in it exited with code ${String(end.exitCode)}`;
    } catch (error) {
      if (isAishError(error, 'internal')) return error.message;
      throw error;
    } finally {
      await helpers.removeVolume(volume);
      await layerStore.dropFolders(id);
      this.trials.delete(id);
    }
  }

  private refused(name: string, why: string): AishError {
    const message = `The host folder ${name} cannot be held (${why}). An admin can set its mode to read-only or direct`;
    return new AishError('mount_not_allowed', message, { name });
  }

  private async askAbout(names: readonly string[], question: string, args: readonly unknown[]): Promise<unknown> {
    const folders = await this.parts.hostFolders.heldOf(names);
    // The folders must be in the order of the journal.
    const inOrder = names.map((name) => folders.find((folder) => folder.name === name));
    if (inOrder.some((folder) => folder === undefined)) {
      throw new AishError(
        'mount_missing',
        `One of the host folders ${names.join(', ')} is no longer held. Nothing was written`,
      );
    }
    return this.ask(
      question,
      args,
      inOrder.flatMap((folder) => folder ?? []),
    );
  }

  /** Runs the keeper's scripts in a container that mounts the folders. */
  private async ask(question: string, args: readonly unknown[], folders: readonly HeldFolder[]): Promise<unknown> {
    const { helpers } = this.parts;
    const labels = { [LABELS.instance]: this.config.SANDBOX_INSTANCE };
    const task = {
      command: keeperCommand('main', question, JSON.stringify(args)),
      volumes: [
        { volume: layersVolume(this.config.SANDBOX_INSTANCE), target: '/workspace' as const, readOnly: false, labels },
      ],
      binds: folders.map(({ source }, i) => ({ source, target: `/host/${i}`, readOnly: WRITES_NOTHING.has(question) })),
      timeoutMs: TIMEOUT_MS,
      readsAll: true,
    };
    const { exitCode, stdout, stderr } = await helpers.run(task, new AbortController().signal, ANSWER_MAX_BYTES);
    if (exitCode === 0) return JSON.parse(stdout.toString());
    const last = stderr.trimEnd().split('\n').at(-1) ?? '';
    throw new AishError('engine_unavailable', `The host folders cannot be read: ${last}`, {
      retryAfterS: 2,
    });
  }
}

const NO_COPY = { NoCopy: true, Labels: {}, DriverConfig: { Name: 'local', Options: {} } };
const WRITES_NOTHING: ReadonlySet<string> = new Set(['folderBegin', 'folderJudge', 'previewFolderUndo']);
