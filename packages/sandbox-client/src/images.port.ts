import type { BuildImage, ImageBuild } from '@aish/contracts/images';

/** The images that commands run in, where they are built: at every sandbox service. */
export abstract class Images {
  /** Begins a build everywhere; one that has begun is left alone. @throws AishError `invalid_body`, `too_many`, `sandbox_unreachable` */
  abstract begin(build: string, what: BuildImage, signal: AbortSignal): Promise<void>;

  /** Built when it is everywhere. One that nobody knows any more has failed. @throws AishError `sandbox_unreachable` */
  abstract state(build: string, signal: AbortSignal): Promise<ImageBuild>;

  /** Removes what was built under a name. @throws AishError `sandbox_unreachable` */
  abstract remove(name: string, signal: AbortSignal): Promise<void>;
}
