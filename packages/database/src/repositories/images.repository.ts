import { ImageRecipe, type Image, type ImageBuild } from '@aish/contracts/images';
import type { ImageRow as Row } from '../generated/rows.js';
import type { Tx } from '../tx.js';
import { storable, storableJson } from './storable.js';

/** An image with its current build. */
export interface ImageRow {
  readonly image: Image;
  readonly recipe: ImageRecipe;
  readonly building: string | null;
}

/** Lists every image, by name. */
export async function listImages(tx: Tx): Promise<ImageRow[]> {
  return (await tx.$queryRaw<Row[]>`select * from images order by name`).map(toImage);
}

export async function findImage(tx: Tx, name: string): Promise<ImageRow | null> {
  const [row] = await tx.$queryRaw<Row[]>`select * from images where name = ${name}`;
  return row === undefined ? null : toImage(row);
}

/** Stores the recipe and its new build. The previous build is used until the new one ends. */
export async function writeImage(
  tx: Tx,
  { name, recipe, building, setBy }: { name: string; recipe: ImageRecipe; building: string; setBy: string },
): Promise<void> {
  await tx.$executeRaw`
    insert into images (name, recipe, building, set_by)
    values (${name}, ${storableJson(recipe)}::jsonb, ${building}::uuid, ${setBy})
    on conflict (name) do update
      set recipe = excluded.recipe, building = excluded.building, detail = null, set_by = excluded.set_by, set_at = now()`;
}

/** Stores the result of a build. It does nothing if another build has started since. */
export async function endBuild(tx: Tx, name: string, build: string, how: ImageBuild): Promise<void> {
  if (how.state === 'built') {
    await tx.$executeRaw`
      update images set built = building, building = null, detail = null, digest = ${how.digest},
        size_bytes = ${how.sizeBytes}::bigint, built_at = now()
      where name = ${name} and building = ${build}::uuid`;
  } else {
    await tx.$executeRaw`
      update images set building = null, detail = ${storable(how.detail)} where name = ${name} and building = ${build}::uuid`;
  }
}

export async function deleteImage(tx: Tx, name: string): Promise<void> {
  await tx.$executeRaw`delete from images where name = ${name}`;
}

/** Lists the spaces whose commands use the image. */
export async function spacesOfImage(tx: Tx, name: string): Promise<string[]> {
  const rows = await tx.$queryRaw<{ name: string }[]>`select name from spaces where image = ${name} order by name`;
  return rows.map((row) => row.name);
}

function toImage({ recipe: kept, building, size_bytes: size, ...row }: Row): ImageRow {
  const recipe = ImageRecipe.parse(kept);
  const state = building !== null ? 'building' : row.detail === null ? 'built' : 'failed';
  const image = {
    name: row.name,
    ...recipe,
    state,
    detail: row.detail,
    digest: row.digest,
    sizeBytes: size === null ? null : Number(size),
    setBy: row.set_by,
    setAt: row.set_at.toISOString(),
    builtAt: row.built_at?.toISOString() ?? null,
  } as const;
  return { image, recipe, building };
}
