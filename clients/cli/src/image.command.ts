import { imagesApi } from '@aish/contracts/endpoints/access';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { ImageRecipe, type Image } from '@aish/contracts/images';
import { AishError } from '@aish/contracts/problems';
import type { Transport } from '@aish/client/transport';
import { formatAge } from '@aish/views/duration.format';
import { line, span, type Line } from '@aish/views/line';
import { cleanText, oneLine } from '@aish/views/sanitise';
import { command, one, option, repeated } from './command.js';
import { note, writeJson, writeLines, type Io, localFile } from '@aish/client/io';

const NAME = one('what the image is called, as media');
const LOOK_EVERY_MS = 1_000;

export const imageAdd = command({
  name: 'image add',
  about: 'build an image that a space can run its commands in: Debian packages, or a Dockerfile; needs scope admin',
  args: { name: NAME },
  options: {
    apt: repeated('packages', 'Debian packages, with commas between them; can be repeated'),
    dockerfile: option('file', 'what else is in it: instructions, or stages of which the last begins with FROM aish', {
      suggests: 'file',
    }),
  },
  json: 'print the image',
  examples: ['aish image add media --apt ffmpeg,mkvtoolnix', 'aish image add tools --dockerfile tools.Dockerfile'],
  run: async ({ args, options, io, connect }) => {
    const file = options.dockerfile;
    const dockerfile = file === undefined ? '' : await localFile(() => readFile(file, 'utf8'));
    const packages = (options.apt ?? []).flatMap((words) => words.split(/[\s,]+/)).filter((word) => word !== '');
    const recipe = ImageRecipe.safeParse({ packages, dockerfile });
    if (!recipe.success) {
      throw new AishError(
        'invalid_body',
        `${recipe.error.issues[0]?.message ?? 'No recipe'}: --apt ffmpeg, or --dockerfile FILE`,
      );
    }
    const { client } = connect();
    await follow(
      await client.call(imagesApi.set, { params: { name: args.name }, body: recipe.data }, io.signal),
      client,
      io,
      options.json,
    );
  },
});

export const imageRebuild = command({
  name: 'image rebuild',
  about: 'build an image again with the newest packages; what runs goes on with the one it began with',
  args: { name: NAME },
  json: 'print the image',
  examples: ['aish image rebuild media'],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    await follow(
      await client.call(imagesApi.rebuild, { params: { name: args.name } }, io.signal),
      client,
      io,
      options.json,
    );
  },
});

export const imageList = command({
  name: 'image list',
  about: 'list the images that spaces can run their commands in',
  json: 'print the api’s answer',
  examples: ['aish image list'],
  run: async ({ options, io, connect }) => {
    const list = await connect().client.call(imagesApi.list, {}, io.signal);
    if (options.json) return writeJson(io, list);
    writeLines(io, list.items.map(imageLine));
  },
});

export const imageRemove = command({
  name: 'image remove',
  about: 'remove an image that no space uses',
  args: { name: NAME },
  json: 'print what it was',
  examples: ['aish image remove media'],
  run: async ({ args, options, io, connect }) => {
    const removed = await connect().client.call(imagesApi.remove, { params: { name: args.name } }, io.signal);
    if (options.json) return writeJson(io, removed);
    note(io, `${removed.name} is removed`);
  },
});

/** Waits until it is built, and says so. @throws AishError `image_missing` with the end of what the build printed. */
async function follow(begun: Image, client: Transport, io: Io, json: boolean): Promise<void> {
  if (begun.state === 'building') note(io, `building ${oneLine(begun.name)}; it goes on when you leave`);
  let image = begun;
  while (image.state === 'building') {
    await pause(LOOK_EVERY_MS, undefined, { signal: io.signal });
    image = await client.call(imagesApi.show, { params: { name: image.name } }, io.signal);
  }
  if (image.state === 'failed') {
    throw new AishError('image_missing', `${image.name} could not be built:\n${cleanText(image.detail ?? '')}`);
  }
  if (json) return writeJson(io, image);
  writeLines(io, [imageLine(image)]);
  note(io, `use it: aish space set SPACE --image ${image.name}`);
}

function imageLine({ name, state, packages, dockerfile, digest, sizeBytes, builtAt }: Image): Line {
  const what = [...packages, ...(dockerfile.trim() === '' ? [] : ['a Dockerfile'])].join(' ');
  const size = sizeBytes === null ? '' : `  ${Math.round(sizeBytes / 1e6)} MB`;
  const age = builtAt === null ? '' : `  built ${formatAge(builtAt, Date.now())} ago`;
  return [
    span(`${oneLine(name).padEnd(16)} `, 'bold'),
    span(oneLine(what)),
    span(`  ${state === 'built' ? '' : `${state} `}${(digest ?? '').slice(0, 19)}${size}${age}`, 'dim'),
  ];
}

/** Of a space: what its commands run in. */
export function runsInLine(image: string | null, limits: object): Line {
  const words = Object.entries(limits).map(([name, value]) => `${name} ${String(value)}`);
  return line(`${'image'.padEnd(12)}${[oneLine(image ?? 'the usual one'), ...words].join('  ')}`);
}
