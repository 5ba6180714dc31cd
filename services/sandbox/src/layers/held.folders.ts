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
import type { InFolders } from './in-folders.js';

const MIB = 2 ** 20;
const DAY_MS = 86_400_000;
const TIMEOUT_MS = 10 * 60_000;
const ANSWER_MAX_BYTES = 2 * MIB;
/** On the volume of a layer over a folder of the host: the run that it is for. */
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
  /** What could not be put in its place, since somebody took that away in the last moment. */
  missed: z.array(z.string()).default([]),
});
const FolderUndoPreview = z.object({
  effects: Effects.nullable(),
  touched: z.array(z.string()),
  undoable: z.boolean(),
});

/** The undo preview of a run: what undoing it does to folders of the host. */
export type FolderUndoPreview = z.infer<typeof FolderUndoPreview>;

export interface HeldFoldersParts {
  readonly hostFolders: HostFolders;
  readonly helpers: HelperEngine;
  readonly layerStore: LayerStore;
  readonly layers: Layers;
  readonly engine: DockerEngine;
}

/**
 * Folders of the host that commands write to by a layer. When a command has ended, what lies in the layer is written down
 * as the journal of a carry-over (`scripts/keeper/plan.py`), which a helper with the folder mounted brings to the host once it
 * counts: all of it or nothing, also when anything is killed in the middle (`scripts/keeper/carry.py`).
 */
export class HeldFolders {
  private readonly tried = new Map<string, Promise<string | null>>();
  /** Runs of nobody, by which folders are tried out. */
  private readonly trials = new Set<string>();

  constructor(
    private readonly parts: HeldFoldersParts,
    private readonly config: SandboxConfig,
    private readonly logger: Logger,
  ) {}

  /**
   * Makes layers for a run over these folders. @returns their mounts.
   * @throws AishError `mount_not_allowed` where a folder cannot be held, `mount_missing`
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

  /** What a run that has ended did to held folders; null where it did nothing to any. Asked again it says the same. */
  async look(runId: string): Promise<InFolders | null> {
    const { state, folders: names, judged } = await this.parts.layerStore.folderState(runId);
    if (state === null) return null;
    const keepMax = this.config.SNAPSHOTS_MAX_MB * MIB;
    const said = Judged.parse(await this.askAbout(names, 'folderJudge', [runId, keepMax]));
    if (!said.changed) {
      await this.drop(runId);
      return null;
    }
    const { effects, lost, conflicts, skipped, diff, undoable, items, refused } = said;
    const destroys =
      items.length + lost.deleted.files + lost.changed.files > 0 || !effects.complete || skipped.length > 0;
    return {
      effects,
      deleted: lost.deleted,
      overwritten: lost.changed,
      items,
      refused,
      conflicts,
      asks: said.state === 'waits' && ((judged && destroys) || !effects.complete || conflicts.length > 0),
      folders: { names, skipped, diff, undoable },
    };
  }

  /**
   * Carries over what a run did. @returns the paths that somebody changed on the host since; then nothing was written.
   */
  async carry(runId: string): Promise<readonly string[]> {
    const { state, folders } = await this.parts.layerStore.folderState(runId);
    if (state === null || state === 'done') return [];
    return this.carried(runId, await this.askAbout(folders, 'folderCarry', [runId]));
  }

  /** Forgets what a run did that was not carried over. */
  async drop(runId: string): Promise<void> {
    await this.parts.layerStore.dropFolders(runId);
  }

  /** The runs of a workspace since one, it included, that were carried over; the newest first. `only`: none but that one. */
  async since(workspaceId: string, runId: string, only: boolean, beganAt: Date): Promise<readonly string[]> {
    const runs = (await this.parts.layerStore.folderRuns()).filter(({ workspace }) => workspace === workspaceId);
    const own = runs.find(({ run }) => run === runId);
    const from = own?.at ?? beganAt.getTime() / 1_000;
    const carried = runs.filter(({ state }) => state === 'done' || state === 'back');
    return carried.filter(({ run, at }) => (only ? run === runId : at >= from)).map(({ run }) => run);
  }

  /** What undoing runs would do, given the newest first. */
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

  /** Takes back what a run did, all of it. @returns what others have touched since: then nothing was done. */
  async undo(runId: string): Promise<readonly string[]> {
    const { folders } = await this.parts.layerStore.folderState(runId);
    return this.carried(runId, await this.askAbout(folders, 'folderUndo', [runId]));
  }

  /** Brings to its end what a crash cut, forgets what nobody can undo any more, and tries folders out. */
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

  /** Of runs that have ended; the engine keeps those that a container has mounted. */
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

  /** @throws AishError `mount_not_allowed` */
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

  /** Mounts a layer over a folder, once. @returns why it cannot be held; null where it can. */
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
      return end.exitCode === 0 ? null : end.stderr.trim() || `a command in it ended with ${String(end.exitCode)}`;
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
    const message = `The host folder ${name} cannot be held (${why}); an admin can give it the mode read-only or direct`;
    return new AishError('mount_not_allowed', message, { name });
  }

  private async askAbout(names: readonly string[], question: string, args: readonly unknown[]): Promise<unknown> {
    const folders = await this.parts.hostFolders.heldOf(names);
    // In the order that the journal has.
    const inOrder = names.map((name) => folders.find((folder) => folder.name === name));
    if (inOrder.some((folder) => folder === undefined)) {
      throw new AishError('mount_missing', `A folder of ${names.join(', ')} is not held any more; nothing was written`);
    }
    return this.ask(
      question,
      args,
      inOrder.flatMap((folder) => folder ?? []),
    );
  }

  /** Asks the scripts of the keeper where the folders are mounted. */
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
    throw new AishError('engine_unavailable', `What is in folders of the host cannot be looked at: ${last}`, {
      retryAfterS: 2,
    });
  }
}

const NO_COPY = { NoCopy: true, Labels: {}, DriverConfig: { Name: 'local', Options: {} } };
const WRITES_NOTHING: ReadonlySet<string> = new Set(['folderBegin', 'folderJudge', 'previewFolderUndo']);
