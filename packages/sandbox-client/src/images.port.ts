import type { BuildImage, ImageBuild } from '@aish/contracts/images';

/** The images for commands. Every sandbox service builds them. */
export abstract class Images {
  /**
   * Starts a build at every service. A running build continues unchanged.
   *
   * @throws AishError `invalid_body`, `too_many`, `sandbox_unreachable`
   */
  abstract begin(build: string, what: BuildImage, signal: AbortSignal): Promise<void>;

  /**
   * Returns the state of a build. It is done when every service has it. A build that no service knows has failed.
   *
   * @throws AishError `sandbox_unreachable`
   */
  abstract state(build: string, signal: AbortSignal): Promise<ImageBuild>;

  /**
   * Removes the image with this name.
   *
   * @throws AishError `sandbox_unreachable`
   */
  abstract remove(name: string, signal: AbortSignal): Promise<void>;
}
