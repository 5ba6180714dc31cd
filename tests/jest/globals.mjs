const GLOBALS = Symbol.for('aish.jest.globals');

/** Modules are read once and specs are many: what a name of Jest stands for is looked up when it is used. */
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
