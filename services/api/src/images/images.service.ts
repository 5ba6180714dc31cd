import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { randomUUID } from 'node:crypto';
import type { AuditAction } from '@aish/contracts/audit';
import type { Image, ImageRecipe } from '@aish/contracts/images';
import { AishError } from '@aish/contracts/problems';
import { appendAudit } from '@aish/database/audit.repository';
import type { Database } from '@aish/database/client';
import {
  deleteImage,
  endBuild,
  findImage,
  listImages,
  spacesOfImage,
  writeImage,
  type ImageRow,
} from '@aish/database/images.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Tx } from '@aish/database/tx';
import type { Images } from '@aish/sandbox-client';

const SANDBOX_TIMEOUT_MS = 60_000;

/** Manages images for the commands of spaces, for admins. */
@Injectable()
export class ImagesService {
  constructor(
    @Part('db') private readonly db: Database,
    @Part('images') private readonly images: Images,
  ) {}

  async list(): Promise<Image[]> {
    const rows = await listImages(this.db.statements);
    return Promise.all(rows.map((row) => this.now(row)));
  }

  /** @throws AishError `not_found` */
  async find(name: string): Promise<Image> {
    return this.now(await this.mustFind(name));
  }

  /**
   * Sets the recipe of an image and starts the build. @throws AishError `invalid_body`, `too_many` or
   * `sandbox_unreachable`, and the image stays unchanged
   */
  set(by: string, name: string, recipe: ImageRecipe): Promise<Image> {
    return this.build(by, 'image.set', name, recipe);
  }

  /** Builds the same recipe again. @throws AishError `not_found`, and the errors of `set` */
  async rebuild(by: string, name: string): Promise<Image> {
    const { recipe } = await this.mustFind(name);
    return this.build(by, 'image.rebuilt', name, recipe);
  }

  /** @throws AishError `not_found`; `busy` while spaces use the image */
  async remove(by: string, name: string): Promise<Image> {
    const { image } = await this.mustFind(name);
    await inTransaction(this.db, (tx) => this.delete(tx, by, name));
    await this.removeBuilt(name);
    return image;
  }

  /** Removes the record of an image. `removeBuilt` then removes the image itself. @throws AishError `busy` */
  async delete(tx: Tx, by: string, name: string): Promise<void> {
    const [space] = await spacesOfImage(tx, name);
    if (space !== undefined) {
      throw new AishError(
        'busy',
        `The space ${space} uses this image. Change the space first: aish space set ${space} --image none`,
      );
    }
    const digest = (await findImage(tx, name))?.image.digest ?? null;
    await deleteImage(tx, name);
    await appendAudit(tx, { actor: by, action: 'image.removed', subject: name, facts: { digest } });
  }

  removeBuilt(name: string): Promise<void> {
    return this.images.remove(name, AbortSignal.timeout(SANDBOX_TIMEOUT_MS));
  }

  private async build(by: string, action: AuditAction, name: string, recipe: ImageRecipe): Promise<Image> {
    const build = await this.begin(name, recipe);
    await inTransaction(this.db, (tx) => this.write(tx, by, action, { name, recipe, build }));
    return this.find(name);
  }

  /** Starts a build. Its image is only used once it is written. @returns the ID of the build */
  async begin(name: string, recipe: ImageRecipe): Promise<string> {
    const build = randomUUID();
    await this.images.begin(build, { name, recipe }, AbortSignal.timeout(SANDBOX_TIMEOUT_MS));
    return build;
  }

  /** Writes the recipe of an image whose build has started. */
  async write(
    tx: Tx,
    by: string,
    action: AuditAction,
    { name, recipe, build }: { readonly name: string; readonly recipe: ImageRecipe; readonly build: string },
  ): Promise<void> {
    await writeImage(tx, { name, recipe, building: build, setBy: by });
    await appendAudit(tx, { actor: by, action, subject: name, facts: { build, ...recipe } });
  }

  /** Returns the current state of an image. The first request after a build stores the build's result. */
  private async now({ image, building }: ImageRow): Promise<Image> {
    if (building === null) return image;
    const how = await this.images.state(building, AbortSignal.timeout(SANDBOX_TIMEOUT_MS));
    if (how.state === 'building') return { ...image, detail: how.detail };
    await endBuild(this.db.statements, image.name, building, how);
    return (await this.mustFind(image.name)).image;
  }

  private async mustFind(name: string): Promise<ImageRow> {
    const row = await findImage(this.db.statements, name);
    if (row === null) throw new AishError('not_found', `There is no image ${name}`);
    return row;
  }
}
