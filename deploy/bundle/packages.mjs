// Lists the third-party packages in a bundle, from esbuild's metafiles.
//
//   node deploy/bundle/packages.mjs FOLDER FILE     writes FOLDER/packages.json; FILE lists the metafiles
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Writes the package list next to the bundle, where deploy/sbom finds it. */
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

/**
 * Returns the nearest manifest with a version, because folders inside a package have manifests that only declare how to
 * load it.
 */
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
