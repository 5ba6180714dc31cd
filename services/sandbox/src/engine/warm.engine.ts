import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { SandboxConfig } from '@aish/contracts';
import { ContainerStream } from './container-stream.js';
import { containerName, warmName, warmSpec, type NewWorkplace } from './container-spec.js';
import type { DockerEngine } from './docker.engine.js';
import { engineStatus } from './engine-error.js';
import { handOver, newToken, type Task } from './launcher.js';
import { OutputMarks } from './output-marks.js';
import { FrameSplitter } from './frame-splitter.js';

const SETTLE_WAIT_MS = 2_000;
const LOOK_EVERY_MS = 30;
/** The marks that stand before a command's take less. */
const HEAD_MAX_BYTES = 1_024;

/** A started container whose launcher waits for a command. */
export interface WarmContainer {
  readonly name: string;
  readonly token: string;
  readonly stream: ContainerStream;
  readonly stdin: Duplex;
  readonly fits: string;
  readonly madeAtMs: number;
}

/** What the engine does for containers that are started before they have a command. */
export class WarmEngine {
  constructor(
    private readonly engine: DockerEngine,
    private readonly config: SandboxConfig,
  ) {}

  /** The name that the next `start` is to be given. */
  newName(): string {
    return warmName(this.config.SANDBOX_INSTANCE, randomUUID());
  }

  /** Tells containers apart that were made from other settings: limits, image, and whatever else a container is made of. */
  fitOf(workplace: NewWorkplace): string {
    return JSON.stringify([warmSpec({ ...workplace, id: '', token: '' }, this.config), this.engine.known?.imageId]);
  }

  /** The variables that a container made of this has by itself. */
  envOf(workplace: NewWorkplace): readonly string[] {
    return [
      ...(this.engine.known?.imageEnv ?? []),
      ...(warmSpec({ ...workplace, id: '', token: '' }, this.config).Env ?? []),
    ];
  }

  /** Makes and starts a container whose launcher waits. Nothing is left when it fails. */
  async start(name: string, workplace: NewWorkplace): Promise<WarmContainer> {
    const token = newToken();
    const fits = this.fitOf(workplace);
    const spec = warmSpec({ ...workplace, id: name, token }, this.config);
    const container = await this.engine.ask((docker) => docker.createContainer({ ...spec, name }));
    try {
      const stdin = await this.engine.ask(
        () =>
          container.attach({ stream: true, stdin: true, stdout: true, stderr: true, hijack: true }) as Promise<Duplex>,
      );
      // Its reader says more of how it ended; a stream without a listener for errors would end this process.
      stdin.on('error', () => undefined);
      const stream = new ContainerStream(this.engine.pieces(stdin), token, () => undefined);
      await this.engine.ask(() => container.start());
      return { name, token, stream, stdin, fits, madeAtMs: Date.now() };
    } catch (error) {
      await this.discard(name);
      throw error;
    }
  }

  /**
   * Makes it the container of a run, by its name. Nothing has begun.
   * @returns false when that run has a container already, or this one is gone.
   */
  async rename(name: string, runId: string): Promise<boolean> {
    const wanted = containerName(this.config.SANDBOX_INSTANCE, runId);
    return this.engine.ask(async (docker) => {
      try {
        await docker.getContainer(name).rename({ name: wanted });
        return true;
      } catch (error) {
        if ([404, 409].includes(engineStatus(error) ?? 0)) return false;
        throw error;
      }
    });
  }

  /** Gives it its command. Its stdin stays open: that is how the launcher knows that somebody is there. */
  hand({ stdin }: WarmContainer, task: Task): void {
    stdin.write(handOver(task));
  }

  /**
   * Whether the container of a run was given its command. The answer is final: one that still waits is killed before.
   * @param token of its launcher.
   */
  async hasBegun(runId: string, token: string): Promise<boolean> {
    for (const end = performance.now() + SETTLE_WAIT_MS; performance.now() < end;) {
      const state = await this.engine.inspect(runId);
      // Looked at after the state: a dead container prints nothing more.
      if (await this.printedBegin(runId, token)) return true;
      if (state?.status !== 'running') return false;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    await this.engine.kill(runId);
    await this.engine.wait(runId, AbortSignal.timeout(SETTLE_WAIT_MS * 5));
    return this.printedBegin(runId, token);
  }

  /** Removes it, whatever its state. Harmless when it is gone. */
  async discard(name: string): Promise<void> {
    await this.engine.ask(async (docker) => {
      try {
        await docker.getContainer(name).remove({ force: true, v: false });
      } catch (error) {
        if (![404, 409].includes(engineStatus(error) ?? 0)) throw error;
      }
    });
  }

  private async printedBegin(runId: string, token: string): Promise<boolean> {
    const name = containerName(this.config.SANDBOX_INSTANCE, runId);
    const log = await this.engine.ask((docker) =>
      docker.getContainer(name).logs({ follow: false, stdout: true, stderr: true, tail: 1_000 }),
    );
    const marks = new OutputMarks(token);
    const output = new FrameSplitter().push(log).flatMap((piece) => marks.filter(piece));
    // The head of a long log may be gone, and a command may print marks: only one that has printed nothing has not begun.
    return marks.begun || output.length > 0 || log.length > HEAD_MAX_BYTES;
  }
}
