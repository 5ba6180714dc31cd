import * as z from 'zod';

/** The name of an image for commands. */
export const ImageName = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/, {
  error: 'must be lowercase letters, digits and -, such as media',
});

/** A Debian package name with an optional version: `ffmpeg`, `ansible-core=2.19.4-1`. */
const PackageName = z.string().regex(/^[a-z0-9][a-z0-9+.-]{1,79}(?:=[A-Za-z0-9.+:~-]{1,80})?$/);

/** The additions of an image to the sandbox’s own image. */
export const ImageRecipe = z
  .strictObject({
    packages: z.array(PackageName).max(200).default([]),
    /** Instructions after the packages, or build stages whose last one begins with `FROM aish`. */
    dockerfile: z.string().max(65_536).default(''),
  })
  .refine(
    ({ packages, dockerfile }) => packages.length > 0 || dockerfile.trim() !== '',
    'The image needs packages or a Dockerfile',
  )
  .meta({ id: 'ImageRecipe' });
export type ImageRecipe = z.infer<typeof ImageRecipe>;

export const Image = z
  .object({
    name: ImageName,
    packages: z.array(z.string()),
    dockerfile: z.string(),
    /** `failed`: the last build failed. An earlier successful build is still used. */
    state: z.enum(['building', 'built', 'failed']),
    /** The progress of the build, or the last output of a failed build. */
    detail: z.string().nullable(),
    /** The digest of the image that commands use; null before the first build ends. */
    digest: z.string().nullable(),
    sizeBytes: z.int().nullable(),
    setBy: z.string(),
    setAt: z.iso.datetime(),
    builtAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Image' });
export type Image = z.infer<typeof Image>;

export const ImageList = z.object({ items: z.array(Image) }).meta({ id: 'ImageList' });
export type ImageList = z.infer<typeof ImageList>;

/** Limits of a space's commands that differ from the sandbox's defaults (`RUN_*`). */
export const RunLimits = z
  .strictObject({
    memoryMb: z.int().min(64).max(1_048_576),
    cpus: z.number().min(0.1).max(256),
    pids: z.int().min(16).max(32_768),
    tmpMb: z.int().min(1).max(65_536),
    /** Whether commands get all GPUs of the host, if the sandbox service may share them (`SANDBOX_GPUS`). */
    gpus: z.boolean(),
  })
  .partial();
export type RunLimits = z.infer<typeof RunLimits>;

/** The environment of a session's commands: one fixed build, and limits. */
export const RunImage = z.strictObject({ build: z.uuid().nullable(), limits: RunLimits });
export type RunImage = z.infer<typeof RunImage>;

/** A request to a sandbox service to build an image. */
export const BuildImage = z.strictObject({ name: ImageName, recipe: ImageRecipe });
export type BuildImage = z.infer<typeof BuildImage>;

/** The state of a build in the sandbox service that makes it. */
export const ImageBuild = z.object({
  state: z.enum(['building', 'built', 'failed']),
  detail: z.string(),
  digest: z.string().nullable(),
  sizeBytes: z.int().nullable(),
});
export type ImageBuild = z.infer<typeof ImageBuild>;
