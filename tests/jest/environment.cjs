/** An environment that is Node itself, without a separate context. Jest asks for these names. */
module.exports = class NativeEnvironment {
  global = globalThis;
  #doubled = new WeakSet();
  #exit = process.exit;

  /**
   * Doubles the time limits of tests and hooks. A limit is there to end a hang, and machines differ in speed by a factor
   * of three: `node -e 0` takes between 34 and 128 ms, and several suites run at the same time.
   */
  handleTestEvent({ name, test, hook }) {
    const limited = { test_start: test, hook_start: hook }[name];
    if (limited?.timeout === undefined || this.#doubled.has(limited)) return;
    this.#doubled.add(limited); // a hook starts once for each test
    limited.timeout *= 2;
  }

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
