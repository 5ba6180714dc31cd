// This script is for npm pack. The package that people install contains only the bundle, so it has no dependencies. Its
// package.json is made before packing and restored afterwards. The licence is copied from the root in the same way.
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const manifest = fileURLToPath(new URL('package.json', import.meta.url));
const kept = `${manifest}.kept`;
const licence = fileURLToPath(new URL('LICENSE', import.meta.url));

if (process.argv[2] === 'restore') {
  if (existsSync(kept)) renameSync(kept, manifest);
  rmSync(licence, { force: true });
} else {
  // If an earlier packing was killed, the stored manifest is the original one.
  if (existsSync(kept)) renameSync(kept, manifest);
  copyFileSync(manifest, kept);
  copyFileSync(new URL('../../LICENSE', import.meta.url), licence);
  const { name, version, type, license = 'MIT' } = JSON.parse(readFileSync(manifest, 'utf8'));
  const packed = {
    name,
    version,
    description: 'The terminal UI of aish, and its command for scripts',
    license,
    type,
    bin: { aish: 'bundle/aish.mjs' },
    files: ['bundle'],
    engines: { node: '>=20' },
    scripts: { postpack: 'node pack.mjs restore' },
  };
  writeFileSync(manifest, `${JSON.stringify(packed, null, 2)}\n`);
}
