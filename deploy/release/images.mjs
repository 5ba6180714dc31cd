// Builds the images of the compose files so that two builds give the same bytes.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILES = ['docker-compose.yml', 'deploy/home/compose.yml'];
/** The name of each image, with its service in one of these files. */
const SERVICES = {
  aish: 'aish',
  'aish-api': 'api',
  'aish-norris-worker': 'norris-worker',
  'aish-sandbox-service': 'sandbox',
  'aish-migrate': 'migrate',
  'aish-secrets': 'secrets',
  'aish-sandbox': 'sandbox-image',
};
export const IMAGES = Object.keys(SERVICES);

/** Writes each image of a checkout into a file for `docker load`, and its list of packages beside it. */
export async function buildImages(checkout, folder, run) {
  const settings = Object.entries(SERVICES).flatMap(([name, service]) => [
    // The time of every file becomes that of the commit.
    `${service}.output=type=docker,rewrite-timestamp=true,dest=${join(folder, `${name}.tar`)}`,
    `${service}.args.SOURCE_DATE_EPOCH=${process.env.SOURCE_DATE_EPOCH}`,
    // A provenance would contain the time of the build.
    `${service}.attest=type=provenance,disabled=true`,
  ]);
  // Paths in all files are relative to the folder of the checkout here.
  const set = ['aish.context=.', ...settings].flatMap((setting) => ['--set', setting]);
  const files = FILES.flatMap((file) => ['--file', file]);
  const bake = ['buildx', 'bake', ...files, '--no-cache', '--progress=plain', ...set];
  run('docker', [...bake, ...Object.values(SERVICES)], checkout);
  for (const name of IMAGES) {
    const loaded = run('docker', ['load', '--quiet', '--input', join(folder, `${name}.tar`)], checkout);
    const [, image] = /Loaded image: (\S+)/.exec(loaded) ?? [];
    const bom = run(process.execPath, ['deploy/sbom/sbom.mjs', image], checkout);
    writeFileSync(join(folder, `${name}.sbom.json`), bom);
  }
}

/** Returns the digest of the image in a file. */
export function digestOf(file) {
  const { stdout } = spawnSync('tar', ['-xOf', file, 'index.json'], { encoding: 'utf8' });
  return JSON.parse(stdout).manifests[0].digest;
}
