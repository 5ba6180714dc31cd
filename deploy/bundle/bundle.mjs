// node deploy/bundle/bundle.mjs services/api/dist/main.js …: each with all that it loads in dist/bundle beside it, for Node 20.
// A start takes 0.35 to 0.41 of the processor time, and an image needs no packages.
import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { writePackages } from './packages.mjs';

/** Asked for in a try block, by libraries that do without it: nothing of it is installed here, or it must not be. */
const OPTIONAL = [
  '@fastify/multipart',
  '@fastify/static',
  '@fastify/view',
  '@nestjs/microservices',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  'class-transformer',
  'class-validator',
  'cpu-features',
  'pg-native',
];
/** Loads a file of its own by its path; it is copied into the image of the migrator. */
const ON_DISK = ['@prisma/schema-engine-wasm/*', '*.node'];

/** CommonJS inside a module of the bundle asks for these. */
const BANNER = `import { createRequire as bundleRequireOf } from 'node:module';
import { fileURLToPath as bundlePathOf } from 'node:url';
const require = bundleRequireOf(import.meta.url);
const __filename = bundlePathOf(import.meta.url);
const __dirname = bundlePathOf(new URL('.', import.meta.url));`;

for (const entry of process.argv.slice(2)) {
  const outdir = join(dirname(entry), 'bundle');
  rmSync(outdir, { recursive: true, force: true });
  const { metafile } = await build({
    // Tests that kill a service start it with run.js, which takes shorter waits than main.js.
    entryPoints: [entry, join(dirname(entry), 'run.js')].filter(existsSync),
    outdir,
    entryNames: '[name]',
    bundle: true,
    // What is loaded when it is first needed stays in files of its own.
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    external: [...OPTIONAL, ...ON_DISK],
    // Its other build asks for its files by names that a bundle has not.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    banner: { js: BANNER },
    // Names stay, so that a stack tells something; half of the text that every start reads is blanks and comments.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 200,
    legalComments: 'external',
    logLevel: 'warning',
    metafile: true,
  });
  writePackages(outdir, [metafile]);
}
