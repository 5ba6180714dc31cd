/** Node as it is: no context of its own. Jest asks for these names. */
module.exports = class NativeEnvironment {
  global = globalThis;
  #exit = process.exit;

  async setup() {}

  async teardown() {
    process.exit = this.#exit; // Jest puts its own around it for every spec
  }

  exportConditions() {
    return [];
  }

  getVmContext() {
    return null;
  }
};
