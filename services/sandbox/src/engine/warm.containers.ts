import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import { ContainerStream } from './container-stream.js';
import { warmName, warmSpec, type NewWorkplace } from './container-spec.js';
import type { DockerEngine } from './docker.engine.js';
import type { Hold } from './hold.js';
import { tokenInput, commandInput, newToken, type Task } from './launcher.js';

/** A running container whose launcher is waiting for a command. */
export interface WarmContainer {
  readonly id: string;
  readonly name: string;
  readonly token: string;
  readonly stream: ContainerStream;
  readonly stdin: Duplex;
  readonly fits: string;
  readonly madeAtMs: number;
}

/** Manages containers that start before they have a command. */
export class WarmContainers {
  constructor(
    private readonly engine: DockerEngine,
    private readonly config: SandboxConfig,
    private readonly hold: Hold,
  ) {}

  /** Returns the name for the next `start`. */
  newName(): string {
    return warmName(this.config.SANDBOX_INSTANCE, randomUUID());
  }

  /**
   * Returns a key that is the same for containers with equal settings: limits, image, and everything else that a
   * container is created with.
   */
  warmKeyOf(workplace: NewWorkplace): string {
    return JSON.stringify([warmSpec({ ...workplace, id: '', token: '' }, this.config), this.engine.known?.imageId]);
  }

  /** Returns whether the image exists. @throws AishError `engine_unavailable` */
  async canStart(): Promise<boolean> {
    return (await this.engine.info()).imageId !== null;
  }

  /** Creates and starts a container whose launcher waits. If this fails, nothing is left behind. */
  async start(name: string, workplace: NewWorkplace): Promise<WarmContainer> {
    const token = newToken();
    const fits = this.warmKeyOf(workplace);
    const spec = warmSpec({ ...workplace, id: name, token }, this.config);
    const container = await this.hold(workplace.workspaceId, () =>
      this.engine.ask((docker) => docker.createContainer({ ...spec, name })),
    );
    try {
      const stdin = await this.engine.attach(container.id);
      // The reader of the stream reports errors in more detail. A stream without an error listener would end this
      // process.
      stdin.on('error', () => undefined);
      const stream = new ContainerStream(this.engine.pieces(stdin), token, () => undefined);
      await this.engine.ask(() => container.start());
      stdin.write(tokenInput(token));
      return { id: container.id, name, token, stream, stdin, fits, madeAtMs: Date.now() };
    } catch (error) {
      await this.discard(name);
      throw error;
    }
  }

  /** Removes a waiting container in any state. The container may already be gone. */
  discard(name: string): Promise<void> {
    return this.engine.removeContainer(name);
  }
}

/** Sends the command to the launcher. stdin stays open, which tells the launcher that the service is alive. */
export function sendCommand({ stdin }: Pick<WarmContainer, 'stdin'>, task: Task): void {
  stdin.write(commandInput(task));
}
