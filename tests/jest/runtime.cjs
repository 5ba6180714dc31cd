const { register } = require('node:module');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { SourceMaps } = require('./source-maps.cjs');

register('./typescript.mjs', pathToFileURL(__filename));

const GLOBALS = Symbol.for('aish.jest.globals');
const TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');
/** One run of jest-circus leaves these on the global object: its event handlers and its state. */
const OF_ONE_RUN = /^(JEST_STATE_SYMBOL|EVENT_HANDLERS)$/;

/**
 * Loads specs with Node's own loader. Jest's loader reads every module again for every spec, in a separate context.
 * With this loader, each of Jest's processes reads a module once. The price is that specs have no module mocks, no
 * separate global object and no fake timers.
 */
module.exports = class NativeRuntime {
  #run = process.hrtime.bigint();
  #sourceMaps;

  constructor({ cacheDirectory }) {
    this.#sourceMaps = new SourceMaps(join(cacheDirectory, 'source-maps'));
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    await import(`${pathToFileURL(path)}?run=${this.#run}`);
  }

  requireModule(path) {
    return require(path);
  }

  /** Loads jest-circus again for every spec, because it remembers the tests that were registered. */
  requireInternalModule(path) {
    for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
      if (OF_ONE_RUN.test(symbol.description)) delete globalThis[symbol];
    }
    delete globalThis[TIMEOUT];
    delete require.cache[path];
    return require(path);
  }

  setGlobalsForRuntime(globals) {
    globalThis[GLOBALS] = { ...globals, jest: { setTimeout: (ms) => void (globalThis[TIMEOUT] = ms) } };
  }

  getSourceMaps() {
    return this.#sourceMaps;
  }

  getAllCoverageInfoCopy() {}
  enterTestCode() {}
  leaveTestCode() {}
  teardown() {}
};
