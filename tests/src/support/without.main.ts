import fs from 'node:fs';
import { register, syncBuiltinESMExports } from 'node:module';
import type { Replacement } from './without-hooks.main.js';

/**
 * `node --import without.main.js main.js` runs a service with some of its lines replaced, as `WITHOUT` says. A test
 * uses this to show that a defence is the reason why an attack fails.
 */
const replacements = JSON.parse(process.env['WITHOUT'] ?? '[]') as readonly Replacement[];
register('./without-hooks.main.js', import.meta.url, { data: replacements });

// Python scripts are not modules: they are read and passed to a container.
const read = fs.readFileSync;
const readReplaced = (path: fs.PathOrFileDescriptor, ...more: unknown[]): unknown => {
  const found = Reflect.apply(read, fs, [path, ...more]) as unknown;
  if (typeof found !== 'string' || !String(path).endsWith('.py')) return found;
  return replaced(found, String(path));
};
Reflect.set(fs, 'readFileSync', readReplaced);
syncBuiltinESMExports();

function replaced(source: string, path: string): string {
  return replacements
    .filter(([, file]) => path.endsWith(file))
    .reduce((text, [, , from, to]) => text.replace(from, () => to), source);
}
