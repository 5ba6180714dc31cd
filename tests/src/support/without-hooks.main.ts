import { readFileSync } from 'node:fs';
import type { LoadHook } from 'node:module';
import { fileURLToPath } from 'node:url';

/** A text that occurs once in a file of a service (with its path from the root), and its replacement. */
export type Replacement = readonly [
  service: 'api' | 'norris-worker' | 'sandbox',
  file: string,
  from: string,
  to: string,
];

let replacements: readonly Replacement[] = [];

export function initialize(data: readonly Replacement[]): void {
  replacements = data;
}

export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  const wanted = replacements.filter(([, file]) => url.endsWith(file));
  if (wanted.length === 0) return loaded;
  const source = wanted.reduce(
    (text, [, , from, to]) => text.replace(from, () => to),
    readFileSync(fileURLToPath(url), 'utf8'),
  );
  return { ...loaded, source };
};
