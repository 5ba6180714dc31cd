import { mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AishError } from '@aish/contracts/problems';
import { z } from 'zod';
import { writeDurably } from '../storage/durable-file.js';

const Built = z.object({
  build: z.uuid(),
  name: z.string(),
  /** The engine's digest of the image. Once a build is complete, its digest never changes. */
  id: z.string(),
  env: z.array(z.string()),
  sizeBytes: z.int(),
  builtAt: z.iso.datetime(),
});
export type Built = z.infer<typeof Built>;

/** Stores the images that were built here, in one durable file for each build. */
export class ImageStore {
  constructor(private readonly folder: string) {}

  async write(built: Built): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await writeDurably(this.path(built.build), JSON.stringify(built));
  }

  async find(build: string): Promise<Built | null> {
    try {
      return Built.parse(JSON.parse(await readFile(this.path(build), 'utf8')));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw new AishError('internal', `The record of the image ${build} cannot be read`, {}, { cause: error });
    }
  }

  /** Returns the builds of one name, newest first. */
  async named(name: string): Promise<readonly Built[]> {
    const files = await readdir(this.folder).catch(() => []);
    const all = await Promise.all(
      files.filter((file) => file.endsWith('.json')).map((file) => this.find(file.slice(0, -'.json'.length))),
    );
    return all
      .filter((built) => built !== null)
      .filter((built) => built.name === name)
      .toSorted((a, b) => b.builtAt.localeCompare(a.builtAt));
  }

  async forget(build: string): Promise<void> {
    await rm(this.path(build), { force: true });
  }

  private path(build: string): string {
    return join(this.folder, `${build}.json`);
  }
}
