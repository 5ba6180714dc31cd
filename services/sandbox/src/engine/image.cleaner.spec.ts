import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@aish/http';
import { docker, newTestSettings, type TestSettings } from '../../testing/sandbox.fixture.js';
import { DockerEngine } from './docker.engine.js';
import { ImageCleaner } from './image.cleaner.js';

const logger = createLogger('error', 'sandbox', { write: () => undefined });
// The tag looks like one from image/build.sh, but no real build has it.
const tag = () => `feed${randomUUID().slice(0, 8)}`;
const [earlier, used, foreign, current] = [tag(), tag(), tag(), tag()];
const nameOf = (each: string) => `aish-sandbox:${each}`;
let ground: TestSettings;
let folder: string;

beforeAll(async () => {
  ground = await newTestSettings();
  folder = await mkdtemp(join(tmpdir(), 'aish-images-'));
  for (const each of [earlier, used, foreign, current]) {
    await docker.getImage(ground.config.SANDBOX_IMAGE).tag({ repo: 'aish-sandbox', tag: each });
  }
});
afterAll(async () => {
  for (const each of [used, foreign, current]) await docker.getImage(nameOf(each)).remove();
  await rm(folder, { recursive: true });
  await rm(ground.config.SANDBOX_STATE_DIR, { recursive: true });
});

const has = async (each: string) => {
  const images = await docker.listImages({ filters: { reference: [nameOf(each)] } });
  return images.length > 0;
};
const sweep = (image: string, path = join(folder, 'images.json')) =>
  new ImageCleaner(new DockerEngine(ground.config), { SANDBOX_IMAGE: nameOf(image) }, path, logger).sweep();

describe('images of earlier versions', () => {
  it('an old image is removed if this service used it, nothing uses it now, and a newer one replaced it', async () => {
    await sweep(earlier);
    await sweep(earlier);
    expect(await has(earlier)).toBe(true);
    await sweep(current);
    expect([await has(earlier), await has(foreign), await has(current)]).toEqual([false, true, true]);
    await sweep(current);
    expect(await has(current)).toBe(true);
  });

  it('an old image is not removed while a container uses it', async () => {
    const path = join(folder, 'used.json');
    // The old image must be a separate one, because a container counts for all names of its image.
    const base = await docker.createContainer({ Image: ground.config.SANDBOX_IMAGE });
    await docker.getImage(nameOf(used)).remove();
    await base.commit({ repo: 'aish-sandbox', tag: used, changes: `LABEL mark=${ground.instance}` });
    await base.remove();
    const user = await docker.createContainer({ Image: nameOf(used) });
    await sweep(used, path);
    await sweep(current, path);
    expect(await has(used)).toBe(true);
    await user.remove();
    await sweep(current, path);
    expect(await has(used)).toBe(false);
    await docker.getImage(ground.config.SANDBOX_IMAGE).tag({ repo: 'aish-sandbox', tag: used });
  });

  it('an unreadable list of images causes no error, and an old image in the list is removed', async () => {
    const path = join(folder, 'broken.json');
    await writeFile(path, '{');
    await sweep(current, path);
    await writeFile(path, JSON.stringify(['debian:13.7-slim', nameOf(foreign)]));
    await sweep(current, path);
    expect(await has(foreign)).toBe(false);
    await docker.getImage(ground.config.SANDBOX_IMAGE).tag({ repo: 'aish-sandbox', tag: foreign });
  });
});
