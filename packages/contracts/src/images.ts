import * as z from 'zod';

/** What an image for commands is called. */
export const ImageName = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/, {
  error: 'must be lowercase letters, digits and -, as in media',
});

/** How Debian names packages, and a version where one is meant: `ffmpeg`, `ansible-core=2.19.4-1`. */
const PackageName = z.string().regex(/^[a-z0-9][a-z0-9+.-]{1,79}(?:=[A-Za-z0-9.+:~-]{1,80})?$/);

/** What is in an image beside what the sandbox’s own has. */
export const ImageRecipe = z
  .strictObject({
    packages: z.array(PackageName).max(200).default([]),
    /** Instructions that follow the packages, or stages of which the last one begins with `FROM aish`. */
    dockerfile: z.string().max(65_536).default(''),
  })
  .refine(({ packages, dockerfile }) => packages.length > 0 || dockerfile.trim() !== '', 'Say what is to be in it')
  .meta({ id: 'ImageRecipe' });
export type ImageRecipe = z.infer<typeof ImageRecipe>;

export const Image = z
  .object({
    name: ImageName,
    packages: z.array(z.string()),
    dockerfile: z.string(),
    /** `failed`: the last build; the one before it, if there is one, is used all the same. */
    state: z.enum(['building', 'built', 'failed']),
    /** How far a build is, or the end of what it printed when it failed. */
    detail: z.string().nullable(),
    /** Of the image that commands get; null before the first build has ended. */
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

/** What commands of a space may take, where it is not what the sandbox gives to all (`RUN_*`). */
export const RunLimits = z
  .strictObject({
    memoryMb: z.int().min(64).max(1_048_576),
    cpus: z.number().min(0.1).max(256),
    pids: z.int().min(16).max(32_768),
    tmpMb: z.int().min(1).max(65_536),
    /** All GPUs of the host, where the sandbox service may give them away (`SANDBOX_GPUS`). */
    gpus: z.boolean(),
  })
  .partial();
export type RunLimits = z.infer<typeof RunLimits>;

/** What the commands of one session run in: one build, which never becomes another, and limits. */
export const RunImage = z.strictObject({ build: z.uuid().nullable(), limits: RunLimits });
export type RunImage = z.infer<typeof RunImage>;

/** A build as a sandbox service is asked for it. */
export const BuildImage = z.strictObject({ name: ImageName, recipe: ImageRecipe });
export type BuildImage = z.infer<typeof BuildImage>;

/** How a build is where it is made. */
export const ImageBuild = z.object({
  state: z.enum(['building', 'built', 'failed']),
  detail: z.string(),
  digest: z.string().nullable(),
  sizeBytes: z.int().nullable(),
});
export type ImageBuild = z.infer<typeof ImageBuild>;
