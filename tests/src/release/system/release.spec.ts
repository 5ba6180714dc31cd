import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifies } from '../../requirements.js';
import { ROOT } from '../../support/service.process.js';

const run = promisify(execFile);

describe('the comparison of two builds of a release', () => {
  let dir: string;

  /** Makes the files of a release: an image with two layers, and a list of packages. */
  const make = async (name: string, { text = 'same', mtime = 1, list = '{\n"a": 1\n}\n' } = {}): Promise<string> => {
    const folder = join(dir, name);
    const parts = join(dir, `${name}.parts`);
    await mkdir(join(parts, 'files/etc'), { recursive: true });
    await mkdir(folder);
    await writeFile(join(parts, 'files/etc/one'), 'first layer');
    await writeFile(join(parts, 'files/etc/two'), text);
    for (const file of ['one', 'two']) await utimes(join(parts, 'files/etc', file), 1, file === 'one' ? 1 : mtime);
    const layers: string[] = [];
    for (const file of ['one', 'two']) {
      const layer = join(parts, 'layer');
      await run('tar', ['-C', join(parts, 'files'), '-cf', layer, `etc/${file}`]);
      const sum = (await run('sha256sum', [layer])).stdout.slice(0, 64);
      await run('mv', [layer, join(parts, sum)]);
      layers.push(sum);
    }
    await writeFile(join(parts, 'manifest.json'), JSON.stringify([{ Layers: layers }]));
    await run('tar', ['-C', parts, '--mtime=@1', '-cf', join(folder, 'aish-api.tar'), 'manifest.json', ...layers]);
    await writeFile(join(folder, 'sbom.json'), list);
    return folder;
  };
  const difference = async (one: string, other: string): Promise<string> => {
    const module = `${ROOT}deploy/release/difference.mjs`;
    const code = `const { firstDifference } = await import(${JSON.stringify(module)}); console.log(firstDifference(...process.argv.slice(1)));`;
    return (await run(process.execPath, ['--input-type=module', '-e', code, one, other])).stdout.trim();
  };

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'aish-builds-'));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  it(
    verifies('release.same'),
    async () => {
      const first = await make('first');
      expect(await difference(first, await make('same'))).toBe('null');
      expect(await difference(first, await make('text', { text: 'SAME' }))).toMatch(
        /^aish-api\.tar: layer 2: Files .*\/etc\/two and .*\/etc\/two differ$/,
      );
      expect(await difference(first, await make('time', { mtime: 2 }))).toMatch(
        /^aish-api\.tar: layer 2: .* 1970-01-01 00:00:01 etc\/two \| .* 1970-01-01 00:00:02 etc\/two$/,
      );
      expect(await difference(first, await make('list', { list: '{\n"a": 2\n}\n' }))).toBe(
        'sbom.json: line 2: "a": 1 | "a": 2',
      );
      const fewer = await make('fewer');
      await rm(join(fewer, 'sbom.json'));
      expect(await difference(fewer, first)).toBe('sbom.json is only in one of them');
    },
    60_000,
  );
});
