// What of other people's packages is in a bundle: from what esbuild says that it was made of.
//
//   node deploy/bundle/packages.mjs FOLDER FILE     FOLDER/packages.json, from a list of metafiles in FILE
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Beside the bundle, for the list of what is in an image (deploy/sbom). */
export function writePackages(outdir, metafiles) {
  const found = new Map();
  for (const { outputs } of metafiles) {
    for (const { inputs } of Object.values(outputs)) {
      for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
        if (bytesInOutput === 0 || !path.includes('node_modules/')) continue;
        const { name, version, license, licenses } = manifestOf(path);
        found.set(`${name}@${version}`, { name, version, license: license ?? licenses?.[0]?.type });
      }
    }
  }
  const sorted = [...found.keys()].toSorted().map((key) => found.get(key));
  writeFileSync(join(outdir, 'packages.json'), `${JSON.stringify(sorted)}\n`);
}

/** The nearest one that has a version: folders inside a package have manifests that only say how to load it. */
function manifestOf(path) {
  for (let folder = dirname(path); folder.includes('node_modules/'); folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    const manifest = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
    if (manifest.name !== undefined && manifest.version !== undefined) return manifest;
  }
  throw new Error(`${path} belongs to no package`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [outdir, metafiles] = process.argv.slice(2);
  writePackages(outdir, JSON.parse(readFileSync(metafiles, 'utf8')));
}
