import { isAishError, type Health, type SandboxStatus } from '@aish/contracts';
import type { DockerEngine } from '../engine/docker.engine.js';
import { imageMissing } from '../engine/engine-error.js';
import type { LiveRuns } from '../runs/live-runs.js';

export class StatusService {
  constructor(
    private readonly engine: DockerEngine,
    private readonly live: LiveRuns,
    private readonly image: string,
    private readonly version: string,
  ) {}

  /** Whether commands can run right now, and if not why and what to do. */
  async describe(): Promise<SandboxStatus> {
    const running = this.live.running;
    try {
      const { version, runtime, imageId } = await this.engine.info();
      const detail = imageId === null ? imageMissing(this.image).message : null;
      return { ready: imageId !== null, detail, engine: { version, runtime }, image: imageId, running };
    } catch (error) {
      if (!isAishError(error)) throw error;
      return { ready: false, detail: error.message, engine: null, image: null, running };
    }
  }

  /** A service that answers is not down; without an engine or an image it is degraded. */
  async health(): Promise<Health> {
    const { ready, detail, engine } = await this.describe();
    const check = (ok: boolean) => ({ ok, detail: ok ? null : detail });
    return {
      status: ready ? 'ok' : 'degraded',
      version: this.version,
      // Without an engine nobody can tell whether the image is there.
      checks: { engine: check(engine !== null), ...(engine === null ? {} : { image: check(ready) }) },
    };
  }
}
