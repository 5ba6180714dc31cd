import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import { ContainerStream } from './container-stream.js';
import { warmName, warmSpec, type NewWorkplace } from './container-spec.js';
import type { DockerEngine } from './docker.engine.js';
import type { Hold } from './hold.js';
import { greet, handOver, newToken, type Task } from './launcher.js';

/** A started container whose launcher waits for a command. */
export interface WarmContainer {
  readonly id: string;
  readonly name: string;
  readonly token: string;
  readonly stream: ContainerStream;
  readonly stdin: Duplex;
  readonly fits: string;
  readonly madeAtMs: number;
}

/** Containers that are started before they have a command. */
export class WarmContainers {
  constructor(
    private readonly engine: DockerEngine,
    private readonly config: SandboxConfig,
    private readonly hold: Hold,
  ) {}

  /** The name that the next `start` is to be given. */
  newName(): string {
    return warmName(this.config.SANDBOX_INSTANCE, randomUUID());
  }

  /** Tells containers with different settings apart: limits, image, and everything else that a container is made of. */
  fitOf(workplace: NewWorkplace): string {
    return JSON.stringify([warmSpec({ ...workplace, id: '', token: '' }, this.config), this.engine.known?.imageId]);
  }

  /** Whether the image is there. @throws AishError `engine_unavailable` */
  async canStart(): Promise<boolean> {
    return (await this.engine.info()).imageId !== null;
  }

  /** Makes and starts a container whose launcher waits. Nothing is left when it fails. */
  async start(name: string, workplace: NewWorkplace): Promise<WarmContainer> {
    const token = newToken();
    const fits = this.fitOf(workplace);
    const spec = warmSpec({ ...workplace, id: name, token }, this.config);
    const container = await this.hold(workplace.workspaceId, () =>
      this.engine.ask((docker) => docker.createContainer({ ...spec, name })),
    );
    try {
      const stdin = await this.engine.ask(
        () =>
          container.attach({ stream: true, stdin: true, stdout: true, stderr: true, hijack: true }) as Promise<Duplex>,
      );
      // Its reader says more of how it ended; a stream without a listener for errors would end this process.
      stdin.on('error', () => undefined);
      const stream = new ContainerStream(this.engine.pieces(stdin), token, () => undefined);
      await this.engine.ask(() => container.start());
      stdin.write(greet(token));
      return { id: container.id, name, token, stream, stdin, fits, madeAtMs: Date.now() };
    } catch (error) {
      await this.discard(name);
      throw error;
    }
  }

  /** Removes it in any state. Harmless when it is gone. */
  discard(name: string): Promise<void> {
    return this.engine.removeContainer(name);
  }
}

/** Gives it its command. Its stdin stays open: that is how the launcher knows that somebody is there. */
export function hand({ stdin }: Pick<WarmContainer, 'stdin'>, task: Task): void {
  stdin.write(handOver(task));
}
