// Makes bundle/aish.mjs: the whole client in one file, for Node 20 and later, with no packages beside it.
import { appendFileSync, chmodSync, copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const bundles = join(here, 'bundle');
// An aish that runs meanwhile reads its parts from the last one.
const out = join(here, 'dist', 'bundle.new');
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

const common = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  minify: true,
  conditions: ['@aish/source'],
  // Its other build asks for its files by names that a bundle has not.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  logLevel: 'warning',
  metafile: true,
};
/** What esbuild says that each thing is made of: kept for the list of packages in an image. */
const metafiles = [];

/** Texts of zod in 50 languages of which only the English ones are ever shown. */
const englishOnly = {
  name: 'english-only',
  setup({ onLoad }) {
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, ({ path }) => ({
      contents: 'export { default as en } from "./en.js";',
      resolveDir: dirname(path),
    }));
  },
};

/** blessed loads each of its widgets by a computed name; we draw on its screen and use none of them. */
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

/**
 * Loaded when it is first used, as source that is never run takes its memory, too. Graphviz is as large as all the rest; editors
 * alone speak ACP; the rules of safety and of secrets are asked now and then. None of them throws or takes an object of a class
 * that the program has as well: each part has its own.
 */
const ON_DEMAND = {
  graphviz: '@viz-js/viz',
  acp: '@agentclientprotocol/sdk',
  safety: '@aish/safety',
  secrets: '@aish/secrets',
};
const importedFrom = {};
const onDemand = {
  name: 'on-demand',
  setup({ onResolve, onLoad }) {
    for (const [name, imported] of Object.entries(ON_DEMAND)) {
      const namespace = `part-${name}`;
      onResolve({ filter: new RegExp(`^${imported}$`) }, ({ resolveDir }) => {
        importedFrom[name] = resolveDir;
        return { path: name, namespace };
      });
      onLoad({ filter: /.*/, namespace }, () => ({ contents: `module.exports = bundledPart('${name}');` }));
    }
  },
};

async function partOf(entry, plugins) {
  // A script of node:vm has no import().
  const supported = { 'dynamic-import': false };
  const options = { ...common, supported, format: 'cjs', write: false, outfile: join(out, 'part.cjs'), plugins };
  const { outputFiles, metafile } = await build({ ...options, ...entry });
  metafiles.push(metafile);
  return gzipSync(asciiOf(outputFiles[0].text), { level: 9 }).toString('base64');
}

/**
 * One such character, and V8 keeps all of the source with two bytes a character. esbuild leaves them in regular expressions and in
 * what these are made of (String.raw), where the escape means the same.
 */
function asciiOf(source) {
  return source.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const program = { entryPoints: [join(here, 'src/start.ts')] };
const parts = { program: await partOf(program, [englishOnly, screenOnly, onDemand]) };
for (const [name, imported] of Object.entries(ON_DEMAND)) {
  parts[name] = await partOf({ stdin: { contents: `export * from '${imported}'`, resolveDir: importedFrom[name] } }, [
    englishOnly,
  ]);
}

/**
 * The first screen is the code of the bundle; all the rest is in comments behind it, packed. Node reads and V8 passes
 * over them in a few milliseconds, while it takes 40 ms to take in as much as a string, and more as code.
 */
const inComments = {
  name: 'program-in-comments',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/start\.js$/ }, () => ({ path: join(here, 'bundle.parts.mjs') }));
  },
};

const bundle = join(out, 'aish.mjs');
const { metafile } = await build({
  ...common,
  entryPoints: [join(here, 'src/main.ts')],
  format: 'esm',
  outfile: bundle,
  banner: { js: '#!/usr/bin/env node' },
  plugins: [inComments],
});
for (const [name, packed] of Object.entries(parts)) appendFileSync(bundle, `//${name} ${packed}\n`);
chmodSync(bundle, 0o755);
writeFileSync(join(here, 'dist', 'metafiles.json'), JSON.stringify([...metafiles, metafile]));

// What blessed falls back to on a system without a terminfo database.
const usr = join(dirname(createRequire(import.meta.url).resolve('blessed/package.json')), 'usr');
mkdirSync(join(out, 'usr'));
for (const name of ['xterm', 'xterm-256color', 'linux']) copyFileSync(join(usr, name), join(out, 'usr', name));

rmSync(bundles, { recursive: true, force: true });
renameSync(out, bundles);
