import type { EngineReport } from '@aish/contracts/engine';
import type { Health } from '@aish/contracts/health';
import { isAishError } from '@aish/contracts/problems';
import type { SandboxStatus } from '@aish/contracts/runs';
import { capabilitiesOf, type Findings } from '../engine/capabilities.js';
import type { DockerEngine } from '../engine/docker.engine.js';

/** The numbers of things that this service holds now. */
export type HeldCounts = Omit<SandboxStatus, 'ready' | 'detail' | 'engine' | 'image'> &
  Pick<EngineReport, 'address'> & {
    readonly findings: Omit<Findings, 'limits'>;
  };

export class StatusService {
  constructor(
    private readonly engine: DockerEngine,
    private readonly holdings: () => HeldCounts,
    private readonly version: string,
  ) {}

  /** Returns whether commands can run now. If they cannot, the answer says why and what to do. */
  async describe(): Promise<SandboxStatus> {
    const { findings, address, ...now } = this.holdings();
    try {
      const info = await this.engine.info();
      const obstacle = this.engine.obstacle(info);
      const { kind, version, runtime, isRootless: rootless, limits, imageId } = info;
      const capabilities = [...capabilitiesOf({ ...findings, limits })];
      return {
        ready: obstacle === null,
        detail: obstacle?.message ?? null,
        engine: { kind, version, runtime, rootless, address, capabilities },
        image: imageId,
        ...now,
      };
    } catch (error) {
      if (!isAishError(error)) throw error;
      return { ready: false, detail: error.message, engine: null, image: null, ...now };
    }
  }

  /**
   * Returns the health of this service. A service that responds is not down. Without an engine or an image it is
   * degraded.
   */
  async health(): Promise<Health> {
    const { ready, detail, engine, image } = await this.describe();
    const check = (ok: boolean) => ({ ok, detail: ok ? null : detail });
    return {
      status: ready ? 'ok' : 'degraded',
      version: this.version,
      // Without an engine, the state of the other parts is unknown.
      checks: {
        engine: check(engine !== null),
        ...(engine === null ? {} : { image: check(ready || image !== null) }),
        ...(engine === null || ready || image === null ? {} : { runtime: check(false) }),
      },
    };
  }
}
