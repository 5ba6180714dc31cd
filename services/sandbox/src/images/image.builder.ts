import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import type { BuildImage, ImageBuild, RunImage } from '@aish/contracts/images';
import { AishError } from '@aish/contracts/problems';
import type { Logger } from '@aish/http';
import type { OnApplicationShutdown } from '@nestjs/common';
import { pack } from 'tar-stream';
import { z } from 'zod';
import { LABELS, type WorkplaceImage } from '../engine/container-spec.js';
import type { DockerEngine } from '../engine/docker.engine.js';
import { unlessStatus } from '../engine/engine-answer.js';
import type { Built, ImageStore } from './image.store.js';
import { dockerfileOf } from './recipe.js';

const IMAGE_LABEL = 'dev.aish.image';
/** The number of builds that are kept for each name. Sessions that started with an older build continue to use it. */
const KEPT_BUILDS = 3;
const BUILD_MAX_MS = 30 * 60_000;
const BUILDS_AT_ONCE = 2;
const DETAIL_MAX_CHARS = 4_000;
const FAILED_KEPT = 50;
const Said = z.looseObject({ stream: z.string().optional(), error: z.string().optional() });

/** Builds the images of spaces, and identifies them by digest. */
export class ImageBuilder implements OnApplicationShutdown {
  private readonly building = new Map<string, { detail: string; readonly end: AbortController }>();
  private readonly failed = new Map<string, string>();

  constructor(
    private readonly engine: DockerEngine,
    private readonly config: SandboxConfig,
    private readonly store: ImageStore,
    private readonly logger: Logger,
  ) {}

  /**
   * Starts a build, unless it is already running or complete. @throws AishError `invalid_body`, `too_many`,
   * `image_missing`
   */
  async begin(build: string, { name, recipe }: BuildImage): Promise<void> {
    const dockerfile = dockerfileOf(recipe, this.config.SANDBOX_IMAGE);
    await this.engine.ready();
    if (this.building.has(build) || (await this.store.find(build)) !== null) return;
    if (this.building.size >= BUILDS_AT_ONCE)
      throw new AishError('too_many', 'Other images are being built. Try again later');
    const end = new AbortController();
    const timer = setTimeout(() => end.abort(new Error('it took longer than 30 minutes')), BUILD_MAX_MS);
    const progress = { detail: '', end };
    this.building.set(build, progress);
    this.failed.delete(build);
    void this.make(build, name, dockerfile, progress)
      .catch((error: unknown) => this.fail(build, `${progress.detail}\n${wordsOf(error)}`.trim()))
      .finally(() => {
        clearTimeout(timer);
        this.building.delete(build);
      });
  }

  /**
   * Returns the state of a build. @throws AishError `not_found` if nobody requested it, or if the service has restarted
   * since
   */
  async state(build: string): Promise<ImageBuild> {
    const progress = this.building.get(build);
    const none = { digest: null, sizeBytes: null };
    if (progress !== undefined) return { state: 'building', detail: progress.detail, ...none };
    const detail = this.failed.get(build);
    if (detail !== undefined) return { state: 'failed', detail, ...none };
    const built = await this.store.find(build);
    if (built === null) throw new AishError('not_found', 'This build was interrupted. Build the image again');
    return { state: 'built', detail: '', digest: built.id, sizeBytes: built.sizeBytes };
  }

  /** Returns the settings of a container with this image. @throws AishError `image_missing`, `invalid_config` */
  async resolve({ build, limits }: RunImage): Promise<WorkplaceImage> {
    if (limits.gpus === true && this.config.SANDBOX_GPUS === 'off') {
      throw new AishError('invalid_config', 'This space needs GPUs, but SANDBOX_GPUS is off in the sandbox service');
    }
    if (build === null) return { id: null, env: null, limits };
    const built = await this.store.find(build);
    if (built === null) {
      const message =
        'The image that this goal or chat started with no longer exists here. Run `aish image add NAME` and start a new one';
      throw new AishError('image_missing', message);
    }
    return { id: built.id, env: built.env, limits };
  }

  /** Returns the newest build of a name. @throws AishError `image_missing` */
  async named(name: string): Promise<Built> {
    const [newest] = await this.store.named(name);
    if (newest !== undefined) return newest;
    throw new AishError('image_missing', `There is no image ${name} here. Build it: aish image add ${name}`);
  }

  /** Removes all builds of a name. The engine refuses to remove those that a container uses. */
  async remove(name: string): Promise<void> {
    for (const built of await this.store.named(name)) await this.drop(built);
  }

  onApplicationShutdown(): void {
    for (const { end } of this.building.values()) end.abort(new Error('the sandbox service is stopping'));
  }

  private async make(
    build: string,
    name: string,
    dockerfile: string,
    progress: { detail: string; readonly end: AbortController },
  ): Promise<void> {
    const context = pack();
    context
      .entry({ name: 'Dockerfile', size: Buffer.byteLength(dockerfile) }, () => context.finalize())
      .end(dockerfile);
    const tag = `aish-image-${this.config.SANDBOX_INSTANCE}:${build}`;
    const labels = { [IMAGE_LABEL]: name, [LABELS.instance]: this.config.SANDBOX_INSTANCE };
    const options = { t: tag, labels, forcerm: true, rm: true };
    const output = await this.engine.open((docker) => docker.buildImage(context, options) as Promise<Readable>);
    await follow(output, progress);
    const { Id: id, Config, Size: sizeBytes } = await this.engine.ask((docker) => docker.getImage(tag).inspect());
    await this.store.write({ build, name, id, env: Config.Env ?? [], sizeBytes, builtAt: new Date().toISOString() });
    this.logger.info({ name, build, image: id }, 'built an image');
    for (const old of (await this.store.named(name)).slice(KEPT_BUILDS)) await this.drop(old);
  }

  private async drop({ build, id }: Built): Promise<void> {
    await this.store.forget(build);
    await this.engine.ask((docker) => unlessStatus([404, 409], docker.getImage(id).remove({ force: false })));
  }

  private fail(build: string, detail: string): void {
    this.failed.set(build, detail.slice(-DETAIL_MAX_CHARS));
    const [oldest] = this.failed.keys();
    if (this.failed.size > FAILED_KEPT && oldest !== undefined) this.failed.delete(oldest);
  }
}

/** Reads the messages of a build to the end. @throws Error with the engine's reason if the build failed */
async function follow(output: Readable, progress: { detail: string; readonly end: AbortController }): Promise<void> {
  const leave = (): void => void output.destroy(progress.end.signal.reason as Error);
  progress.end.signal.addEventListener('abort', leave, { once: true });
  try {
    for await (const text of createInterface({ input: output })) {
      if (text.trim() === '') continue;
      const { stream = '', error } = Said.parse(JSON.parse(text));
      progress.detail = (progress.detail + stream).slice(-DETAIL_MAX_CHARS);
      if (error !== undefined) throw new Error(error);
    }
    progress.end.signal.throwIfAborted();
  } finally {
    progress.end.signal.removeEventListener('abort', leave);
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
