import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import type { NewWorkplace } from '../engine/container-spec.js';
import type { WarmContainer } from '../engine/warm.containers.js';
import { PendingWork } from '../scheduling/workspace.work.js';
import type { WorkspaceSpace } from '../workspaces/workspace.space.js';
import type { WarmMaker } from './warm.maker.js';

const TAKE_WAIT_MS = 3_000;
const CLOSE_WAIT_MS = 4_000;

interface Place {
  readonly name: string;
  readonly workplace: NewWorkplace;
  made: Promise<WarmContainer | null>;
  /** Whether it is worth waiting for this container. */
  isBeingMade: boolean;
  timer: NodeJS.Timeout | null;
}

/**
 * Manages containers that wait for the next command of their workspace, one for each of the workspaces used last. The
 * pool promises nothing: if a container is gone, too old or has other settings, the next run starts cold.
 */
export class WarmPool implements BeforeApplicationShutdown {
  /** The places by workspace, with the least recently used first. */
  private readonly places = new Map<string, Place>();
  /** All containers that this pool manages, until they are removed. */
  private readonly owned = new Set<string>();
  private readonly removals = new PendingWork();
  /** Workspaces that are being removed. */
  private readonly shut = new Set<string>();
  private readonly closing = new AbortController();

  constructor(
    private readonly maker: WarmMaker,
    private readonly space: WorkspaceSpace,
    private readonly config: Pick<SandboxConfig, 'WARM_MAX' | 'WARM_MAX_AGE_MS'>,
  ) {}

  get size(): number {
    return this.places.size;
  }

  /** Returns whether this pool manages a container that has, or had, this name. */
  owns(name: string): boolean {
    return this.owned.has(name);
  }

  /** Prepares a container for the next command of a workspace. @returns whether a container is waiting now */
  async prepare(workplace: NewWorkplace): Promise<boolean> {
    const { workspaceId } = workplace;
    if (this.closing.signal.aborted || this.shut.has(workspaceId)) return false;
    const there = this.places.get(workspaceId);
    if (there !== undefined && this.maker.fitOf(there.workplace) === this.maker.fitOf(workplace)) {
      this.places.delete(workspaceId);
      this.places.set(workspaceId, there);
      return (await there.made) !== null;
    }
    if (there !== undefined) void this.leave(workspaceId, there);
    const name = this.maker.newName();
    this.owned.add(name);
    const place: Place = { name, workplace, made: Promise.resolve(null), isBeingMade: false, timer: null };
    this.places.set(workspaceId, place);
    place.made = this.make(place);
    this.evict();
    const warm = await place.made;
    if (this.places.get(workspaceId) !== place) return false;
    if (warm === null) {
      this.places.delete(workspaceId);
      return false;
    }
    place.timer = setTimeout(() => void this.leave(workspaceId, place), this.config.WARM_MAX_AGE_MS).unref();
    void warm.stream.closed.then(() => this.leave(workspaceId, place));
    void warm.stream.measured.then(() => this.renew(workspaceId, place, warm));
    return true;
  }

  /** Hands over the waiting container of this workspace. Returns null if none has these settings. */
  async take(workplace: NewWorkplace): Promise<WarmContainer | null> {
    const { workspaceId } = workplace;
    const place = this.places.get(workspaceId);
    if (place === undefined) return null;
    this.places.delete(workspaceId);
    clearTimeout(place.timer ?? undefined);
    if (!place.isBeingMade) return null;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => (timer = setTimeout(() => resolve(null), TAKE_WAIT_MS)));
    const warm = await Promise.race([place.made, late]).finally(() => clearTimeout(timer));
    if (warm !== null && !warm.stream.isClosed && this.isFit(warm, workplace)) return warm;
    void this.discard(place);
    return null;
  }

  /** Forgets a container that was handed over. It was removed, or it is managed under the name of its run. */
  release(name: string): void {
    this.owned.delete(name);
  }

  /**
   * Prepares no container for a workspace until the returned function is called. Only one caller at a time may do this
   * for a workspace.
   */
  shutFor(workspaceId: string): () => void {
    this.shut.add(workspaceId);
    return () => void this.shut.delete(workspaceId);
  }

  /** Removes the waiting container of a workspace. Resolves when this container and its predecessors are gone. */
  async drop(workspaceId: string): Promise<void> {
    const place = this.places.get(workspaceId);
    if (place !== undefined) void this.leave(workspaceId, place);
    await this.removals.settled(workspaceId);
  }

  /** Removes all waiting containers, and starts no more of them. */
  async beforeApplicationShutdown(): Promise<void> {
    this.closing.abort();
    for (const [workspaceId, place] of this.places) void this.leave(workspaceId, place);
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([
      this.removals.settled(),
      new Promise((resolve) => (timer = setTimeout(resolve, CLOSE_WAIT_MS))),
    ]);
    clearTimeout(timer);
  }

  private async make(place: Place): Promise<WarmContainer | null> {
    const { name, workplace } = place;
    const warm = await this.maker.make(name, workplace, this.closing.signal, () => {
      place.isBeingMade = this.places.get(workplace.workspaceId) === place;
      return place.isBeingMade;
    });
    void warm?.stream.measured.then((contents) => this.space.measured(workplace.workspaceId, contents));
    return warm;
  }

  private isFit(warm: WarmContainer, workplace: NewWorkplace): boolean {
    if (Date.now() - warm.madeAtMs > this.config.WARM_MAX_AGE_MS) return false;
    return warm.fits === this.maker.fitOf(workplace);
  }

  /**
   * Replaces a waiting container if needed, because the measured size may change what a container of the workspace may
   * do.
   */
  private renew(workspaceId: string, place: Place, warm: WarmContainer): void {
    const workplace = { ...place.workplace, mayWrite: this.space.mayWrite(workspaceId) };
    if (this.places.get(workspaceId) !== place || this.isFit(warm, workplace)) return;
    void this.prepare(workplace);
  }

  private evict(): void {
    for (const [workspaceId, place] of this.places) {
      if (this.places.size <= this.config.WARM_MAX) return;
      void this.leave(workspaceId, place);
    }
  }

  private leave(workspaceId: string, place: Place): Promise<void> {
    if (this.places.get(workspaceId) !== place) return Promise.resolve();
    this.places.delete(workspaceId);
    clearTimeout(place.timer ?? undefined);
    return this.discard(place);
  }

  private discard(place: Place): Promise<void> {
    return this.removals.add(place.workplace.workspaceId, this.remove(place));
  }

  private async remove({ name, made }: Place): Promise<void> {
    const warm = await made;
    if (warm !== null) await this.maker.discard(warm);
    this.owned.delete(name);
  }
}
