import { readFileSync, readdirSync } from 'node:fs';
import { ROOT } from './service.process.js';

/**
 * Returns every hand-written page: README.md, CONTRIBUTING.md, SECURITY.md, docs/*.md and the README of each folder of
 * deploy.
 */
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
 * Returns the commands on a page, in order, each once. They are the lines of fenced or indented blocks. If lines of a
 * block begin with `$ `, only those are commands, and the rest is output. In a fenced block, only such lines count.
 * Text after `#` is ignored.
 */
export function commandsOf(page: string): readonly string[] {
  const found = blocksOf(readFileSync(`${ROOT}${page}`, 'utf8')).flatMap(({ lines, isFence }) => {
    const prompted = lines.flatMap((line) => /^\$ (.*)$/.exec(line)?.[1] ?? []);
    return prompted.length > 0 || isFence ? prompted : lines.filter((line) => !SETTING.test(line));
  });
  return [...new Set(found.map((command) => command.replace(/\s+#.*$/, '').trim()))];
}

/** Matches a line of a settings file, but not a command that begins with a setting. */
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
    // Indented lines directly below text, such as a list item, belong to that text.
    else if (line.startsWith('    ') && (indented !== null || before.trim() === '')) {
      if (indented === null) blocks.push((indented = { lines: [], isFence: false }));
      indented.lines.push(line.slice(4));
    } else if (line.trim() !== '') indented = null;
    before = line;
  }
  return blocks;
}
