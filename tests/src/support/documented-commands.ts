import { readFileSync, readdirSync } from 'node:fs';
import { ROOT } from './service.process.js';

/** Every page for people: README.md, CONTRIBUTING.md, SECURITY.md, docs/*.md and the README of each folder of deploy. */
export function pages(): readonly string[] {
  const docs = readdirSync(`${ROOT}docs`).filter((file) => file.endsWith('.md'));
  const folders = readdirSync(`${ROOT}deploy`, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && readdirSync(`${ROOT}deploy/${entry.name}`).includes('README.md'),
  );
  return [
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    ...docs.map((file) => `docs/${file}`),
    ...folders.map(({ name }) => `deploy/${name}/README.md`),
  ];
}

/**
 * The commands that a page shows, in order, each once: the lines of its blocks, fenced or indented. Where lines of a block begin with
 * `$ ` only those are commands and the rest is what they print; a fence needs that. What stands behind `#` is left out.
 */
export function commandsOf(page: string): readonly string[] {
  const found = blocksOf(readFileSync(`${ROOT}${page}`, 'utf8')).flatMap(({ lines, isFence }) => {
    const prompted = lines.flatMap((line) => /^\$ (.*)$/.exec(line)?.[1] ?? []);
    return prompted.length > 0 || isFence ? prompted : lines.filter((line) => !SETTING.test(line));
  });
  return [...new Set(found.map((command) => command.replace(/\s+#.*$/, '').trim()))];
}

/** A line of a settings file, not a command that begins with one. */
const SETTING = /^[A-Z_]+=\S*$/;

interface Block {
  readonly lines: string[];
  readonly isFence: boolean;
}

function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let fence: Block | null = null;
  let indented: Block | null = null;
  let before = '';
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) {
      fence = fence === null ? { lines: [], isFence: true } : null;
      if (fence !== null) blocks.push(fence);
    } else if (fence !== null) fence.lines.push(line);
    // Below a line of text it is more of that text: of an item of a list, say.
    else if (line.startsWith('    ') && (indented !== null || before.trim() === '')) {
      if (indented === null) blocks.push((indented = { lines: [], isFence: false }));
      indented.lines.push(line.slice(4));
    } else if (line.trim() !== '') indented = null;
    before = line;
  }
  return blocks;
}
