// The conformance suite imports `globSync` of fs, which Node has from version 22 on, for a command that is not used here.
import { register } from 'node:module';

const fs = `export * from 'node:fs'; export { default } from 'node:fs';
export const globSync = () => { throw new Error('globSync: not on this Node'); };`;
const hook = `const source = ${JSON.stringify(`data:text/javascript,${encodeURIComponent(fs)}`)};
export const resolve = (specifier, context, next) =>
  specifier === 'fs' && context.parentURL?.includes('/conformance/')
    ? { url: source, shortCircuit: true, format: 'module' }
    : next(specifier, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
