const GLOBALS = Symbol.for('aish.jest.globals');

/** Modules are loaded once for many specs, so a name of Jest must be looked up at each use. */
const current = (name) =>
  new Proxy(function () {}, {
    apply: (_, self, args) => Reflect.apply(globalThis[GLOBALS][name], self, args),
    get: (_, property) => globalThis[GLOBALS][name][property],
  });

export const afterAll = current('afterAll');
export const afterEach = current('afterEach');
export const beforeAll = current('beforeAll');
export const beforeEach = current('beforeEach');
export const describe = current('describe');
export const expect = current('expect');
export const it = current('it');
export const jest = current('jest');
export const test = current('test');
