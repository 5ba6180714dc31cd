// This script makes the whole client for Node 20 and later, without separate packages.
//
//   node bundle.mjs          makes bundle/. aish.mjs starts the first screen. Code that is loaded when it is first needed
//                            lies in lib/, in files named after their sources
//   node bundle.mjs FILE     makes one file, which a release offers. It starts more slowly
import { chmodSync, copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const bundle = join(here, 'bundle');
const [single] = process.argv.slice(2);
// An aish that is running now loads its files from the previous bundle.
const out = join(here, 'dist', single === undefined ? 'bundle.new' : `bundle.${process.pid}`);
rmSync(out, { recursive: true, force: true });

/** Keeps only the English texts of zod. It has texts in 50 languages, and aish shows no others. */
const englishOnly = {
  name: 'english-only',
  setup({ onLoad }) {
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, ({ path }) => ({
      contents: 'export { default as en } from "./en.js";',
      resolveDir: dirname(path),
    }));
  },
};

/** Removes blessed's widgets, which it loads by computed names. aish draws on blessed's screen and uses no widget. */
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

/** CommonJS code inside a module of the bundle needs these names. */
const BANNER = `import { createRequire as bundleRequireOf } from 'node:module';
import { fileURLToPath as bundlePathOf } from 'node:url';
const require = bundleRequireOf(import.meta.url);
const __dirname = bundlePathOf(new URL('.', import.meta.url));`;

/** Puts the files into the bundle to which blessed falls back on a system without a terminfo database. */
const terminfoInside = {
  name: 'terminfo-inside',
  setup({ onLoad }) {
    onLoad({ filter: /blessed\/lib\/tput\.js$/ }, ({ path }) => {
      const usr = join(dirname(path), '../usr');
      const files = ['xterm', 'xterm-256color', 'linux'].map((name) => [
        `/in-the-bundle/${name}`,
        readFileSync(join(usr, name), 'base64'),
      ]);
      const source = readFileSync(path, 'utf8');
      const changed = source
        .replaceAll("__dirname + '/../usr/", "'/in-the-bundle/")
        .replace('fs.readFileSync(file)', 'INSIDE[file] ? Buffer.from(INSIDE[file], "base64") : fs.readFileSync(file)');
      return { contents: `const INSIDE = ${JSON.stringify(Object.fromEntries(files))};\n${changed}` };
    });
  },
};

const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: { aish: join(here, 'src/main.ts') },
  outdir: out,
  outExtension: { '.js': '.mjs' },
  chunkNames: 'lib/[name]-[hash]',
  bundle: true,
  splitting: single === undefined,
  // Names stay readable in stack traces.
  minifyWhitespace: single !== undefined,
  minifySyntax: single !== undefined,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  conditions: ['@aish/source'],
  // The other build of this package asks for its files by names that do not exist in a bundle.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  banner: { js: BANNER },
  plugins: [englishOnly, screenOnly, terminfoInside],
  logLevel: 'warning',
  metafile: true,
});
// If a file contains a single non-ASCII character, V8 stores the whole file with two bytes per character. esbuild
// leaves such characters in regular expressions and in String.raw, where an escape means the same.
const asciiOf = (source) =>
  source.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
for (const file of Object.keys(metafile.outputs).map((name) => join(here, name))) {
  writeFileSync(file, asciiOf(readFileSync(file, 'utf8')));
}
const program = join(out, 'aish.mjs');
writeFileSync(program, `#!/usr/bin/env node\n${readFileSync(program, 'utf8')}`);
chmodSync(program, 0o755);
if (single === undefined) {
  writeFileSync(join(here, 'dist', 'metafiles.json'), JSON.stringify([metafile]));
  rmSync(bundle, { recursive: true, force: true });
  renameSync(out, bundle);
} else {
  mkdirSync(dirname(single), { recursive: true });
  copyFileSync(program, single);
  rmSync(out, { recursive: true });
}
