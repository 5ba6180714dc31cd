import type { Logger } from '@aish/http';
import type { NewWorkplace } from '../engine/container-spec.js';
import type { WarmContainer, WarmContainers } from '../engine/warm.containers.js';
import type { StartupThrottle } from '../scheduling/startup.throttle.js';
import { Slots } from '../scheduling/slots.js';

/** At most two containers start at once. A short wait costs less than the load of many starts on running commands. */
const STARTED_AT_ONCE = 2;

/** Starts and removes waiting containers when this disturbs nobody. A failure only means a cold start. */
export class WarmMaker {
  private readonly slots = new Slots(STARTED_AT_ONCE, Number.POSITIVE_INFINITY);

  constructor(
    private readonly containers: WarmContainers,
    private readonly throttle: StartupThrottle,
    private readonly runs: { readonly isCrowded: boolean },
    private readonly logger: Logger,
  ) {}

  newName(): string {
    return this.containers.newName();
  }

  fitOf(workplace: NewWorkplace): string {
    return this.containers.warmKeyOf(workplace);
  }

  /**
   * @returns null if the container could not be created, or is no longer `isWanted` at its turn. A container for a goal
   * is
   *   not wanted while other runs wait: it may never be used, and starting it costs as much as starting their own.
   */
  async make(
    name: string,
    workplace: NewWorkplace,
    closing: AbortSignal,
    isWanted: () => boolean,
  ): Promise<WarmContainer | null> {
    await this.throttle.come();
    const giveBack = await this.slots.take(closing);
    if (giveBack === null) return null;
    try {
      if (workplace.background && this.runs.isCrowded) return null;
      if (!isWanted() || !(await this.containers.canStart()) || closing.aborted) return null;
      return await this.containers.start(name, workplace);
    } catch (error) {
      const { workspaceId } = workplace;
      this.logger.warn({ err: error, workspaceId }, 'could not make a container ready; the next command starts cold');
      return null;
    } finally {
      giveBack();
    }
  }

  async discard({ name, stdin }: WarmContainer): Promise<void> {
    stdin.destroy();
    try {
      await this.containers.discard(name);
    } catch (error) {
      this.logger.warn({ err: error }, 'could not remove a container that waited; the next sweep will');
    }
  }
}
