#!/usr/bin/env node
// This script prints the packages of this checkout or of an image as CycloneDX.
//
//   npm run --silent sbom               every npm package of this checkout
//   npm run --silent sbom -- IMAGE      the image: its Debian packages, Node, and the npm packages in its bundles
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { bomOf, dated, LIST } from './image.mjs';

const [image] = process.argv.slice(2);
if (image === undefined) print(dated(JSON.parse(run('npm', 'sbom', '--sbom-format', 'cyclonedx'))));
else print(ofImage());

function ofImage() {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const [inspected] = JSON.parse(run('docker', 'image', 'inspect', image));
  const root = ['--rm', '--network', 'none', '--read-only', '--user', '0', '--entrypoint', 'sh'];
  const listed = run('docker', 'run', ...root, inspected.Id, '-c', LIST);
  return bomOf(listed, { image, id: inspected.Id, architecture: inspected.Architecture, version });
}

function print(bom) {
  process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`);
}

function run(program, ...args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return stdout;
  process.stderr.write(stderr || `${program}: ${error?.message}\n`);
  process.exit(1);
}
