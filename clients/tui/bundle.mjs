// Makes bundle/aish.mjs: the whole client in one file, for Node 20 and later, with no packages beside it.
import { chmodSync, copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, 'bundle');
rmSync(out, { recursive: true, force: true });
mkdirSync(out);

const common = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  minify: true,
  conditions: ['@aish/source'],
  logLevel: 'warning',
};

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

const program = await build({
  ...common,
  entryPoints: [join(here, 'src/start.ts')],
  format: 'cjs',
  write: false,
  outfile: join(out, 'program.cjs'),
  plugins: [englishOnly, screenOnly],
});

/**
 * The program is a string inside of the first screen: V8 passes over a string in a millisecond or two, while it takes
 * 30 ms to look through as much code.
 */
const asString = {
  name: 'program-as-string',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/start\.js$/ }, () => ({ path: 'program', namespace: 'program' }));
    onLoad({ filter: /.*/, namespace: 'program' }, () => ({
      contents: `
        import { createRequire } from 'node:module';
        import { fileURLToPath } from 'node:url';
        import { Script } from 'node:vm';
        const source = ${JSON.stringify(program.outputFiles[0].text)};
        const module = { exports: {} };
        // blessed looks for its files beside the folder that it lies in.
        const folder = fileURLToPath(new URL('lib', import.meta.url));
        new Script('(function(exports,require,module,__dirname){' + source + '\\n})', { filename: 'aish-program.cjs' })
          .runInThisContext()(module.exports, createRequire(import.meta.url), module, folder);
        export const start = module.exports.start;`,
      resolveDir: here,
    }));
  },
};

await build({
  ...common,
  entryPoints: [join(here, 'src/main.ts')],
  format: 'esm',
  outfile: join(out, 'aish.mjs'),
  banner: { js: '#!/usr/bin/env node' },
  plugins: [asString],
});
chmodSync(join(out, 'aish.mjs'), 0o755);

// What blessed falls back to on a system without a terminfo database.
const usr = join(dirname(createRequire(import.meta.url).resolve('blessed/package.json')), 'usr');
mkdirSync(join(out, 'usr'));
for (const name of ['xterm', 'xterm-256color', 'linux']) copyFileSync(join(usr, name), join(out, 'usr', name));
