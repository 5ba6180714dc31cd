/** An environment that is Node itself, without a separate context. Jest asks for these names. */
module.exports = class NativeEnvironment {
  global = globalThis;
  #exit = process.exit;

  async setup() {}

  async teardown() {
    process.exit = this.#exit; // Jest replaces process.exit for every spec
  }

  exportConditions() {
    return [];
  }

  getVmContext() {
    return null;
  }
};
