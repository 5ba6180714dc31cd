import { imagesApi } from '@aish/contracts/endpoints/access';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { ImageRecipe, type Image } from '@aish/contracts/images';
import { AishError } from '@aish/contracts/problems';
import type { Transport } from '@aish/client/transport';
import { imageLine } from '@aish/views/commands/access.commands';
import { cleanText, oneLine } from '@aish/views/sanitise';
import { behaviour, one, option, repeated } from './command.js';
import { note, writeJson, writeLines, type Io, localFile } from '@aish/client/io';

const NAME = one('the name of the image, such as media');
const LOOK_EVERY_MS = 1_000;

export const imageAdd = behaviour({
  args: { name: NAME },
  options: {
    apt: repeated('packages', 'Debian packages, separated by commas; repeatable'),
    dockerfile: option('file', 'Dockerfile with more instructions, or with stages (the last one FROM aish)', {
      suggests: 'file',
    }),
  },
  json: 'print the image',
  examples: [
    'aish image add media --apt ffmpeg,mkvtoolnix',
    'aish image add tools --dockerfile tools.Dockerfile',
    'aish image add media',
  ],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    const params = { name: args.name };
    const begun =
      options.apt === undefined && options.dockerfile === undefined
        ? await client.call(imagesApi.rebuild, { params }, io.signal)
        : await client.call(imagesApi.set, { params, body: await recipeOf(options) }, io.signal);
    await follow(begun, client, io, options.json);
  },
});

async function recipeOf({
  apt = [],
  dockerfile: file,
}: {
  readonly apt: readonly string[] | undefined;
  readonly dockerfile: string | undefined;
}): Promise<ImageRecipe> {
  const dockerfile = file === undefined ? '' : await localFile(() => readFile(file, 'utf8'));
  const packages = apt.flatMap((words) => words.split(/[\s,]+/)).filter((word) => word !== '');
  const recipe = ImageRecipe.safeParse({ packages, dockerfile });
  if (recipe.success) return recipe.data;
  throw new AishError(
    'invalid_body',
    `${recipe.error.issues[0]?.message ?? 'No recipe'}. Use --apt ffmpeg or --dockerfile FILE`,
  );
}

/** Waits for the build and prints the result. @throws AishError `image_missing` with the end of the build output */
async function follow(begun: Image, client: Transport, io: Io, json: boolean): Promise<void> {
  if (begun.state === 'building') note(io, `building ${oneLine(begun.name)}; you can leave; the build continues`);
  let image = begun;
  while (image.state === 'building') {
    await pause(LOOK_EVERY_MS, undefined, { signal: io.signal });
    image = await client.call(imagesApi.show, { params: { name: image.name } }, io.signal);
  }
  if (image.state === 'failed') {
    throw new AishError('image_missing', `${image.name} failed to build:\n${cleanText(image.detail ?? '')}`);
  }
  if (json) return writeJson(io, image);
  writeLines(io, [imageLine(image)]);
  note(io, `To use it: aish space set SPACE --image ${image.name}`);
}
