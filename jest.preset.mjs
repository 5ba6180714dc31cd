/** Shared by every project's jest.config.mjs: specs in TypeScript, read by Node's own loader, package sources without a build. */
import { fileURLToPath } from 'node:url';

const of = (name) => fileURLToPath(new URL(`tests/jest/${name}`, import.meta.url));

export const preset = {
  runtime: of('runtime.cjs'),
  testEnvironment: of('environment.cjs'),
  injectGlobals: false,
  extensionsToTreatAsEsm: ['.ts'],
  testMatch: ['<rootDir>/src/**/*.spec.ts'],
  transform: {},
};
