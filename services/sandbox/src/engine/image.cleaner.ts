import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import type { Logger } from '@aish/http';
import { z } from 'zod';
import type { DockerEngine } from './docker.engine.js';
import { unlessStatus } from './engine-answer.js';

/** These are the names that image/build.sh gives. An image with any other name belongs to the user. */
const BUILT = /^aish-sandbox:[0-9a-f]{12}$/;
const Names = z.array(z.string());

/**
 * Removes images of earlier versions in which this service has run commands. Other images stay, because other services
 * on the same engine may still need them.
 */
export class ImageCleaner {
  constructor(
    private readonly engine: DockerEngine,
    private readonly config: Pick<SandboxConfig, 'SANDBOX_IMAGE'>,
    /** The file in which the names of the images are stored. */
    private readonly path: string,
    private readonly logger: Logger,
  ) {}

  /**
   * Removes the earlier images. The call does not contact the engine if there are none. The engine refuses to remove an
   * image in use, and the next sweep retries.
   */
  async sweep(): Promise<void> {
    const current = this.config.SANDBOX_IMAGE;
    const known = this.read();
    const kept: string[] = [];
    for (const name of known) {
      if (name === current || !(await this.remove(name))) kept.push(name);
    }
    if (BUILT.test(current) && !kept.includes(current)) kept.push(current);
    if (JSON.stringify(kept) !== JSON.stringify(known)) this.write(kept);
  }

  private async remove(name: string): Promise<boolean> {
    const isGone = await this.engine.ask(async (docker) => {
      const removed = unlessStatus([404], docker.getImage(name).remove()).then(() => true);
      return (await unlessStatus([409], removed)) !== null;
    });
    if (isGone) this.logger.info({ image: name }, 'removed the image of an earlier version');
    return isGone;
  }

  private read(): readonly string[] {
    try {
      return Names.parse(JSON.parse(readFileSync(this.path, 'utf8'))).filter((name) => BUILT.test(name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        this.logger.warn({ err: error }, 'cannot read which images were used before');
      }
      return [];
    }
  }

  private write(names: readonly string[]): void {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    writeFileSync(`${this.path}.tmp`, JSON.stringify(names), { mode: 0o600 });
    renameSync(`${this.path}.tmp`, this.path);
  }
}
