import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** One command and what a page says that it does. */
export interface Described {
  readonly page: string;
  readonly description: string;
  readonly command: string;
}

/** Pages that rules are worked from, and pages that are only measured. */
export type Part = 'worked' | 'control';

/** A twelfth of the pages by the hash of their name: the same ones whenever, and whatever is added to the collection. */
export const partOf = (page: string): Part =>
  hashOf(page) % 3 === 0 && isOdd(`half ${page}`) && isOdd(`second ${page}`) ? 'control' : 'worked';

const isOdd = (text: string): boolean => (hashOf(text) >>> 24) % 2 === 1;

const hashOf = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE(0);

/** All examples of the pages under `folder`, in the order of their names. */
export function readPages(folder: string): readonly Described[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .toSorted()
    .flatMap((file) => parsePage(basename(file, '.md'), readFileSync(join(folder, file), 'utf8')));
}

/** The examples of one page: a line `- Description:`, and after it the command between backticks. */
export function parsePage(page: string, text: string): readonly Described[] {
  const found: Described[] = [];
  let description: string | null = null;
  for (const line of text.split('\n')) {
    const command = /^`(.+)`\s*$/.exec(line)?.[1];
    if (line.startsWith('- ')) description = line.slice(2).replace(/:\s*$/, '');
    else if (description !== null && command !== undefined) {
      found.push({ page, description, command: fill(command) });
      description = null;
    }
  }
  return found;
}

/** A placeholder becomes its plain words: of `[-r|--recursive]` the long form, of `a|b` the first, without dots for more. */
function fill(command: string): string {
  return command
    .replace(/\{\{(.*?)\}\}(?!\})/g, (_, inner: string) => {
      const forms = /^\[(.+)\]$/.exec(inner)?.[1]?.split('|');
      return (forms?.at(-1) ?? inner.split('|')[0] ?? '').replace(/\s*\.\.\.$/, '');
    })
    .replaceAll(String.raw`\{\{`, '{{')
    .replaceAll(String.raw`\}\}`, '}}');
}
