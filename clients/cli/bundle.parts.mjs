// Stands in for src/start.js in the bundle: takes the program out of the comments that the bundle ends with.
import { createRequire } from 'node:module';

// Not imported: nothing of it is needed before the first screen.
const require = createRequire(import.meta.url);

/** Runs one of the parts that bundle.mjs wrote as `//name base64 of gzip`, and gives what it exports. */
function part(name) {
  const { readFileSync } = require('node:fs');
  const { fileURLToPath } = require('node:url');
  const { Script } = require('node:vm');
  const { gunzipSync } = require('node:zlib');
  const bundle = readFileSync(fileURLToPath(import.meta.url), 'latin1');
  const from = bundle.indexOf(`\n//${name} `) + name.length + 4;
  const packed = Buffer.from(bundle.slice(from, bundle.indexOf('\n', from)), 'base64');
  const source = gunzipSync(packed).toString('utf8');
  const module = { exports: {} };
  // blessed looks for its files beside the folder that it lies in.
  const folder = fileURLToPath(new URL('lib', import.meta.url));
  const wrapped = new Script(`(function(exports,require,module,__dirname,bundledPart){${source}\n})`, {
    filename: `aish-${name}.cjs`,
  });
  wrapped.runInThisContext()(module.exports, require, module, folder, part);
  return module.exports;
}

export const start = (args, takeBack) => part('program').start(args, takeBack);
