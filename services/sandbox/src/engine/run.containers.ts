import type { Duplex, Readable } from 'node:stream';
import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import {
  LABELS,
  containerName,
  containerSpec,
  warmSpec,
  type NewContainer,
  type NewWorkplace,
} from './container-spec.js';
import { stateOf, type ContainerState } from './container-state.js';
import type { DockerEngine } from './docker.engine.js';
import { unlessStatus, untilAborted } from './engine-answer.js';
import { engineStatus } from './engine-error.js';
import { FrameSplitter, type Piece } from './frame-splitter.js';
import type { Hold } from './hold.js';
import { OutputMarks } from './output-marks.js';

const SETTLE_WAIT_MS = 2_000;
const LOOK_EVERY_MS = 30;
/** The marks before a command's output are shorter than this. */
const HEAD_MAX_BYTES = 1_024;

export interface ListedContainer {
  /** The run of this container, or null if it has no command yet. */
  readonly runId: string | null;
  readonly name: string;
  readonly workspaceId: string;
  readonly isStarted: boolean;
  readonly wasWarm: boolean;
}

/**
 * Manages the containers of runs, by run ID. Because of their names, the engine refuses a second container for the same
 * run.
 */
export class RunContainers {
  constructor(
    private readonly engine: DockerEngine,
    private readonly config: SandboxConfig,
    private readonly hold: Hold,
  ) {}

  /**
   * Creates the container of a run without starting it, and creates the volume of its workspace if it is missing.
   * @returns false if the run already has a container.
   */
  create(run: NewContainer): Promise<boolean> {
    return this.engine.ask(async (docker) => {
      try {
        await this.hold(run.workspaceId, () => docker.createContainer(containerSpec(run, this.config)));
        return true;
      } catch (error) {
        if (engineStatus(error) === 409) return false;
        throw error;
      }
    });
  }

  /**
   * Renames a waiting container, which makes it the container of a run. The renamed container has not received a
   * command yet.
   * @returns false if the run already has a container, or if this container is gone.
   */
  rename(name: string, runId: string): Promise<boolean> {
    return this.engine.ask(async (docker) => {
      try {
        await docker.getContainer(name).rename({ name: this.name(runId) });
        return true;
      } catch (error) {
        if ([404, 409].includes(engineStatus(error) ?? 0)) return false;
        throw error;
      }
    });
  }

  /** Returns the variables that a container with these settings has before the command adds its own. */
  envOf(workplace: NewWorkplace): readonly string[] {
    const { Env = [] } = warmSpec({ ...workplace, id: '', token: '' }, this.config);
    return [...(workplace.image?.env ?? this.engine.known?.imageEnv ?? []), ...Env];
  }

  /** Opens stdin, stdout and stderr. Call this before the start to miss nothing. */
  async attach(runId: string): Promise<{ readonly stdin: Duplex; readonly pieces: AsyncIterable<Piece> }> {
    const stdin = await this.engine.attach(this.name(runId));
    // The reader of the stream reports errors in more detail. A stream without an error listener would end this
    // process.
    stdin.on('error', () => undefined);
    return { stdin, pieces: this.engine.pieces(stdin) };
  }

  /** Yields everything that the container has printed, within its bounded log, and everything it prints from now on. */
  async logs(runId: string, signal: AbortSignal): Promise<AsyncIterable<Piece>> {
    const options = { follow: true as const, stdout: true, stderr: true };
    const stream = await this.engine.open((docker) =>
      untilAborted(docker.getContainer(this.name(runId)).logs(options) as unknown as Promise<Readable>, signal),
    );
    return this.engine.pieces(stream);
  }

  /** Freezes all processes of the container. The container may already be dead, gone or paused. */
  async pause(runId: string): Promise<void> {
    await this.engine.ask((docker) => unlessStatus([404, 409, 500], docker.getContainer(this.name(runId)).pause()));
  }

  /** Lets the processes continue. */
  async resume(runId: string): Promise<void> {
    await this.engine.ask((docker) => unlessStatus([404, 409, 500], docker.getContainer(this.name(runId)).unpause()));
  }

  /**
   * Starts the container.
   * @throws AishError `engine_unavailable`, after which the container may still have started.
   */
  async start(runId: string): Promise<void> {
    await this.engine.ask((docker) => unlessStatus([304], docker.getContainer(this.name(runId)).start()));
  }

  /** Resolves when the container is dead or removed. */
  wait(runId: string, signal: AbortSignal): Promise<void> {
    return this.engine.wait(this.name(runId), signal);
  }

  /** Kills every process of the container. The container may already be dead or gone. */
  async kill(runId: string): Promise<void> {
    await this.engine.ask((docker) => unlessStatus([404, 409], docker.getContainer(this.name(runId)).kill()));
  }

  /** Removes the container in any state. The container may already be gone. */
  remove(runId: string): Promise<void> {
    return this.engine.removeContainer(this.name(runId));
  }

  /** Removes a container that never got a run. The container may already be gone. */
  removeWaiting(name: string): Promise<void> {
    return this.engine.removeContainer(name);
  }

  inspect(runId: string): Promise<ContainerState | null> {
    return this.engine.ask(async (docker) => {
      const found = await unlessStatus([404], docker.getContainer(this.name(runId)).inspect());
      return found === null ? null : stateOf(runId, found);
    });
  }

  /** Lists all containers of this instance, including those that wait for a command. */
  async list(): Promise<readonly ListedContainer[]> {
    const filters = { label: [`${LABELS.instance}=${this.config.SANDBOX_INSTANCE}`] };
    const found = await this.engine.ask((docker) => docker.listContainers({ all: true, filters }));
    const prefix = this.name('');
    return found.flatMap(({ Names, Labels, State }) => {
      const name = Names[0]?.replace(/^\//, '') ?? '';
      const wasWarm = Labels[LABELS.warm] !== undefined;
      const runId = name.startsWith(prefix) ? name.slice(prefix.length) : null;
      const workspaceId = Labels[LABELS.workspace];
      if (workspaceId === undefined || (runId === null && !wasWarm)) return [];
      return [{ runId, name, workspaceId, isStarted: State !== 'created', wasWarm }];
    });
  }

  /**
   * Returns whether the container of a run received its command. The answer is final, because a container that is still
   * waiting is killed first.
   * @param token of the container's launcher.
   */
  async hasBegun(runId: string, token: string): Promise<boolean> {
    for (const end = performance.now() + SETTLE_WAIT_MS; performance.now() < end;) {
      const state = await this.inspect(runId);
      // The output is read after the state, because a dead container prints nothing more.
      if (await this.printedBegin(runId, token)) return true;
      if (state?.status !== 'running') return false;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    await this.kill(runId);
    await this.wait(runId, AbortSignal.timeout(SETTLE_WAIT_MS * 5));
    return this.printedBegin(runId, token);
  }

  private async printedBegin(runId: string, token: string): Promise<boolean> {
    const options = { follow: false as const, stdout: true, stderr: true, tail: 1_000 };
    const log = await this.engine.ask((docker) => docker.getContainer(this.name(runId)).logs(options));
    const marks = new OutputMarks(token);
    const output = new FrameSplitter().push(log).flatMap((piece) => marks.filter(piece));
    // The beginning of a long log may be lost, and a command may print marks of its own. Only a container that printed
    // nothing has certainly not begun.
    return marks.begun || output.length > 0 || log.length > HEAD_MAX_BYTES;
  }

  private name(runId: string): string {
    return containerName(this.config.SANDBOX_INSTANCE, runId);
  }
}
