const { mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { fileURLToPath } = require('node:url');
const { compile } = require('./compile.cjs');

/**
 * Finds the source map of a module by the module's address in a stack. A map is made only when a stack is printed,
 * which is rare.
 */
module.exports.SourceMaps = class SourceMaps extends Map {
  constructor(directory) {
    super();
    this.directory = directory;
  }

  get(address) {
    if (!/^file:.*\.ts(\?|$)/.test(address)) return undefined;
    const known = super.get(address);
    if (known !== undefined) return known;
    const filename = fileURLToPath(address);
    const path = join(this.directory, `${filename.replaceAll('/', '%')}.map`);
    mkdirSync(this.directory, { recursive: true });
    writeFileSync(path, compile(filename).map);
    this.set(address, path);
    return path;
  }
};
