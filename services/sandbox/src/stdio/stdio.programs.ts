import type { Duplex } from 'node:stream';
import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import { AishError } from '@aish/contracts/problems';
import type { StdioFrame, StdioRequest } from '@aish/contracts/stdio';
import type { Logger } from '@aish/http';
import { unlessStatus } from '../engine/engine-answer.js';
import type { DockerEngine } from '../engine/docker.engine.js';
import type { ImageBuilder } from '../images/image.builder.js';
import { ConnectionLog } from '../network/connection-log.js';
import type { NetworkGate, NetworkMount } from '../network/network.gate.js';
import { concealer, holdsSecret } from '../secrets/placeholders.js';
import { LABELS } from '../engine/container-spec.js';
import { LineSplitter } from './line-splitter.js';
import { STDIO_ID_LABEL, STDIO_LABEL, stdioName, stdioSpec, stdioVolume, volumeOwnerSpec } from './stdio.container.js';

/** `aish image list` shows images with this prefix. */
const OURS = 'aish/';
/** The maximum number of concurrent programs of all callers. */
const PROGRAMS_MAX = 16;

/** A running program. */
export interface RunningProgram {
  /** Writes one line to the program's stdin. */
  write(line: string): void;
  /** Kills the program. Resolves when its container is gone. */
  kill(): Promise<void>;
}

/** Runs programs that talk over stdin and stdout, each in a container that lasts as long as its connection. */
export class StdioPrograms {
  private readonly running = new Set<RunningProgram>();
  private readonly starting = new Set<Promise<RunningProgram>>();
  private isStopping = false;

  constructor(
    private readonly engine: DockerEngine,
    private readonly config: SandboxConfig,
    private readonly images: ImageBuilder,
    private readonly gate: NetworkGate,
    private readonly logger: Logger,
  ) {}

  /**
   * Starts a program. `say` receives `started`, the program's lines, and finally `exit` or an `error`.
   * @throws AishError `too_many`, `image_missing`, `invalid_config`, `engine_unavailable`, `service_stopping`, in which
   * case
   *   nothing runs
   */
  async start(request: StdioRequest, say: (frame: StdioFrame) => void): Promise<RunningProgram> {
    if (this.isStopping) throw new AishError('service_stopping', 'The sandbox service is stopping');
    if (this.running.size + this.starting.size >= PROGRAMS_MAX) {
      throw new AishError('too_many', `${PROGRAMS_MAX} stdio programs are already running`);
    }
    const starting = this.begin(request, say).finally(() => this.starting.delete(starting));
    this.starting.add(starting);
    return starting;
  }

  /** Removes containers whose connection ended together with an earlier process of this service. */
  async removeLeftovers(): Promise<void> {
    const filters = { label: [STDIO_LABEL, `${LABELS.instance}=${this.config.SANDBOX_INSTANCE}`] };
    const found = await this.engine.ask((docker) => docker.listContainers({ all: true, filters }));
    for (const { Id, Labels } of found) {
      await this.engine.ask((docker) =>
        unlessStatus([404, 409], docker.getContainer(Id).remove({ force: true, v: false })),
      );
      const id = Labels[STDIO_ID_LABEL];
      if (id !== undefined) await this.gate.remove(id);
    }
    if (found.length > 0) this.logger.info({ count: found.length }, 'removed programs over stdin and stdout');
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.allSettled(this.starting);
    await Promise.all([...this.running].map((program) => program.kill()));
  }

  private async begin(asked: StdioRequest, say: (frame: StdioFrame) => void): Promise<RunningProgram> {
    const built =
      asked.image?.startsWith(OURS) === true ? await this.images.named(asked.image.slice(OURS.length)) : null;
    const { limits } = await this.images.resolve({ build: null, limits: asked.limits });
    const request = { ...asked, limits, image: built?.id ?? asked.image };
    try {
      await this.prepare(request);
      return await this.run(request, await this.wayOut(request, say), say);
    } catch (error) {
      await this.remove(request.id);
      throw error;
    }
  }

  private wayOut({ id, network, secrets }: StdioRequest, say: (frame: StdioFrame) => void) {
    const log = new ConnectionLog(({ host, port, allowed, reason }) => {
      if (!allowed) say({ type: 'stderr', text: `aish: ${host}:${port} is refused: ${reason}\n` });
    });
    log.hides = (name) => holdsSecret(name, exposedOf(secrets));
    return this.gate.open(id, network, { log, secrets });
  }

  private async prepare(request: StdioRequest): Promise<void> {
    const image = request.image ?? this.config.SANDBOX_IMAGE;
    const volume = stdioVolume(this.config.SANDBOX_INSTANCE, request.name);
    const [hasImage, hasVolume] = await this.engine.ask((docker) =>
      Promise.all([
        unlessStatus([404], docker.getImage(image).inspect()),
        unlessStatus([404], docker.getVolume(volume).inspect()),
      ]),
    );
    if (hasImage === null) {
      throw new AishError('image_missing', `There is no image ${image}. Build or pull it where the sandbox runs`);
    }
    if (hasVolume !== null) return;
    await this.engine.ask(async (docker) => {
      const container = await docker.createContainer(volumeOwnerSpec(request, this.config));
      await unlessStatus([404, 409], container.remove({ force: true, v: false }));
    });
  }

  private async run(
    request: StdioRequest,
    network: NetworkMount | null,
    say: (frame: StdioFrame) => void,
  ): Promise<RunningProgram> {
    const { id } = request;
    const container = await this.engine.ask((docker) =>
      docker.createContainer(stdioSpec(request, this.config, network)),
    );
    const stdio = await this.engine.attach(container.id);
    // The reader of the stream reports how it ended. A stream without an error listener would end this process.
    stdio.on('error', () => undefined);
    await this.engine.ask(() => container.start());
    say({ type: 'started' });
    let isKilled = false;
    const ended = this.read(request, stdio, say, () => isKilled);
    const program: RunningProgram = {
      write: (line) => {
        stdio.write(`${line}\n`);
      },
      kill: async () => {
        isKilled = true;
        stdio.end();
        await this.remove(id);
        await ended;
      },
    };
    this.running.add(program);
    void ended.finally(() => this.running.delete(program));
    return program;
  }

  /** Reads the output to its end, then reports how the program ended. Never rejects. */
  private async read(
    { id, secrets }: StdioRequest,
    stdio: Duplex,
    say: (frame: StdioFrame) => void,
    isKilled: () => boolean,
  ): Promise<void> {
    const out = new LineSplitter();
    // The program's exposed secrets are masked in its output.
    const conceal = { stdout: concealer(exposedOf(secrets)), stderr: concealer(exposedOf(secrets)) };
    try {
      for await (const { stream, bytes: printed } of this.engine.pieces(stdio)) {
        const bytes = conceal[stream].push(Buffer.from(printed));
        if (stream === 'stderr') {
          say({ type: 'stderr', text: bytes.toString('utf8') });
          continue;
        }
        const lines = out.push(bytes);
        if (lines === null)
          throw new AishError('stdio_ended', 'The program printed a line that is longer than allowed');
        for (const text of lines) say({ type: 'line', text });
      }
      if (!isKilled()) say(await this.exitOf(id));
    } catch (error) {
      const { code, message } = error instanceof AishError ? error : new AishError('stdio_ended', String(error));
      if (!isKilled()) say({ type: 'error', problem: { code, detail: message } });
    }
    stdio.destroy();
    await this.remove(id);
  }

  private async exitOf(id: string): Promise<StdioFrame> {
    const name = stdioName(this.config.SANDBOX_INSTANCE, id);
    const state = await this.engine.ask(async (docker) => {
      const container = docker.getContainer(name);
      // The output can end shortly before the program does.
      await unlessStatus([404], container.wait({ condition: 'not-running' }));
      return unlessStatus([404], container.inspect());
    });
    return { type: 'exit', exitCode: state?.State.ExitCode ?? null, outOfMemory: state?.State.OOMKilled ?? false };
  }

  private async remove(id: string): Promise<void> {
    const name = stdioName(this.config.SANDBOX_INSTANCE, id);
    try {
      await this.engine.ask((docker) =>
        unlessStatus([404, 409], docker.getContainer(name).remove({ force: true, v: false })),
      );
      await this.gate.remove(id);
    } catch (err) {
      // The engine is unavailable, so the next start of this service removes the container.
      this.logger.warn({ err, name }, 'could not remove a program over stdin and stdout');
    }
  }
}

function exposedOf(secrets: StdioRequest['secrets']) {
  return secrets.filter(({ exposed }) => exposed);
}
