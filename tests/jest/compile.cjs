const { readFileSync } = require('node:fs');
const { transformSync } = require('@swc/core');

const OPTIONS = {
  sourceMaps: true,
  module: { type: 'es6' },
  jsc: {
    target: 'es2022',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
  },
};

/** A file of TypeScript as JavaScript, and where each line of that came from. @returns `{ code, map }` */
module.exports.compile = (filename) => transformSync(readFileSync(filename, 'utf8'), { ...OPTIONS, filename });
