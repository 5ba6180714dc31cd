// npm pack: the package that people install contains only the bundle, so it depends on nothing. Its package.json is
// made before packing and restored afterwards; the same holds for the licence from the root.
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const manifest = fileURLToPath(new URL('package.json', import.meta.url));
const kept = `${manifest}.kept`;
const licence = fileURLToPath(new URL('LICENSE', import.meta.url));

if (process.argv[2] === 'restore') {
  if (existsSync(kept)) renameSync(kept, manifest);
  rmSync(licence, { force: true });
} else {
  // After a packing that was killed the kept one is the true one.
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
