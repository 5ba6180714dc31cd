import type { Health } from '@aish/contracts/health';
import { isAishError } from '@aish/contracts/problems';
import type { SandboxStatus } from '@aish/contracts/runs';
import type { DockerEngine } from '../engine/docker.engine.js';

/** What this service holds right now. */
export type Holdings = Omit<SandboxStatus, 'ready' | 'detail' | 'engine' | 'image'>;

export class StatusService {
  constructor(
    private readonly engine: DockerEngine,
    private readonly holdings: () => Holdings,
    private readonly version: string,
  ) {}

  /** Whether commands can run right now, and if not why and what to do. */
  async describe(): Promise<SandboxStatus> {
    const now = this.holdings();
    try {
      const info = await this.engine.info();
      const obstacle = this.engine.obstacle(info);
      const { version, runtime, imageId } = info;
      return {
        ready: obstacle === null,
        detail: obstacle?.message ?? null,
        engine: { version, runtime },
        image: imageId,
        ...now,
      };
    } catch (error) {
      if (!isAishError(error)) throw error;
      return { ready: false, detail: error.message, engine: null, image: null, ...now };
    }
  }

  /** A service that answers is not down; without an engine or an image it is degraded. */
  async health(): Promise<Health> {
    const { ready, detail, engine, image } = await this.describe();
    const check = (ok: boolean) => ({ ok, detail: ok ? null : detail });
    return {
      status: ready ? 'ok' : 'degraded',
      version: this.version,
      // Without an engine nobody can tell whether the rest is there.
      checks: {
        engine: check(engine !== null),
        ...(engine === null ? {} : { image: check(ready || image !== null) }),
        ...(engine === null || ready || image === null ? {} : { runtime: check(false) }),
      },
    };
  }
}
