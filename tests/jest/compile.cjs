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

/** Compiles a TypeScript file to JavaScript, with the origin of each line. @returns `{ code, map }` */
module.exports.compile = (filename) => transformSync(readFileSync(filename, 'utf8'), { ...OPTIONS, filename });
