// The conformance suite imports fs.globSync for a command that is not used here. Node has that function only since
// version 22.
import { register } from 'node:module';

const fs = `export * from 'node:fs'; export { default } from 'node:fs';
export const globSync = () => { throw new Error('globSync: not on this Node'); };`;
const hook = `const source = ${JSON.stringify(`data:text/javascript,${encodeURIComponent(fs)}`)};
export const resolve = (specifier, context, next) =>
  specifier === 'fs' && context.parentURL?.includes('/conformance/')
    ? { url: source, shortCircuit: true, format: 'module' }
    : next(specifier, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
