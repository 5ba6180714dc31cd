import { readFileSync } from 'node:fs';

/** A script, of the parts that lie beside dist and src alike. It is given on a command line, so it has no comments. */
export function scriptOf(...parts: readonly string[]): string {
  const part = (name: string) => readFileSync(new URL(`../../scripts/${name}`, import.meta.url), 'utf8');
  return parts.map((name) => part(name).replaceAll(/^ *#.*\n/gm, '')).join('');
}
