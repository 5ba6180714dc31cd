// Makes bundle/: the whole client for Node 20 and later, with no packages beside it. aish.mjs is the way to the first screen. What
// is loaded when it is first needed lies in lib/, in files that carry the names of their sources.
import { chmodSync, copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const bundle = join(here, 'bundle');
// An aish that runs at the same time loads its files from the last one.
const out = join(here, 'dist', 'bundle.new');
rmSync(out, { recursive: true, force: true });

/** Texts of zod in 50 languages, of which only the English ones are ever shown. */
const englishOnly = {
  name: 'english-only',
  setup({ onLoad }) {
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, ({ path }) => ({
      contents: 'export { default as en } from "./en.js";',
      resolveDir: dirname(path),
    }));
  },
};

/** blessed loads each of its widgets by a computed name. aish draws on its screen and uses none of them. */
const screenOnly = {
  name: 'screen-only',
  setup({ onLoad }) {
    onLoad({ filter: /blessed\/lib\/widget\.js$/ }, ({ path }) => ({
      contents: `
        exports.classes = ['Node', 'Screen', 'Element', 'Box'];
        exports.Node = exports.node = require('./widgets/node');
        exports.Screen = exports.screen = require('./widgets/screen');
        exports.Element = exports.element = require('./widgets/element');
        exports.Box = exports.box = require('./widgets/box');
        exports.aliases = {};`,
      resolveDir: dirname(path),
    }));
  },
};

/** CommonJS inside a module of the bundle asks for these. */
const BANNER = `import { createRequire as bundleRequireOf } from 'node:module';
import { fileURLToPath as bundlePathOf } from 'node:url';
const require = bundleRequireOf(import.meta.url);
const __dirname = bundlePathOf(new URL('.', import.meta.url));`;

const { metafile } = await build({
  entryPoints: { aish: join(here, 'src/main.ts') },
  outdir: out,
  outExtension: { '.js': '.mjs' },
  chunkNames: 'lib/[name]-[hash]',
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  conditions: ['@aish/source'],
  // Its other build asks for its files by names that a bundle has not.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  banner: { js: BANNER },
  plugins: [englishOnly, screenOnly],
  logLevel: 'warning',
  metafile: true,
});
// One such character, and V8 keeps all of a file with two bytes a character. esbuild leaves them in regular expressions and in what
// these are made of (String.raw), where the escape means the same.
const asciiOf = (source) =>
  source.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
for (const file of Object.keys(metafile.outputs)) writeFileSync(file, asciiOf(readFileSync(file, 'utf8')));
const program = join(out, 'aish.mjs');
writeFileSync(program, `#!/usr/bin/env node\n${readFileSync(program, 'utf8')}`);
chmodSync(program, 0o755);
writeFileSync(join(here, 'dist', 'metafiles.json'), JSON.stringify([metafile]));

// What blessed falls back to on a system without a terminfo database.
const usr = join(dirname(createRequire(import.meta.url).resolve('blessed/package.json')), 'usr');
mkdirSync(join(out, 'usr'));
for (const name of ['xterm', 'xterm-256color', 'linux']) copyFileSync(join(usr, name), join(out, 'usr', name));

rmSync(bundle, { recursive: true, force: true });
renameSync(out, bundle);
