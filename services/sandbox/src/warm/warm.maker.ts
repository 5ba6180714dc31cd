import type { Logger } from '@aish/http';
import type { NewWorkplace } from '../engine/container-spec.js';
import type { WarmContainer, WarmContainers } from '../engine/warm.containers.js';
import type { StartupThrottle } from '../scheduling/startup.throttle.js';
import { Slots } from '../scheduling/slots.js';

/** Two at a time: being ready a moment later costs less than what starting many at once takes from commands that run. */
const STARTED_AT_ONCE = 2;

/** Starts and removes containers that wait, when nobody is disturbed by it. What fails costs no more than a cold start. */
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
    return this.containers.fitOf(workplace);
  }

  /**
   * @returns null when it could not be made, or when it is not `isWanted` any more at its turn: that of a goal is not while other
   *   runs wait, as a container that may never be used costs them as much as their own.
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
