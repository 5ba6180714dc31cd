import { randomUUID } from 'node:crypto';
import { git, gitText } from '../git/git.js';
import { readBlobs } from '../git/git-objects.js';
import { PART_BEGINS, isUntouched, partDigest, partLines, withPart } from '../node/kept-part.js';
import { isNodePath, nodePath } from '../node/node.js';
import { readNode } from '../node/read-node.js';
import { newNodeText, setProperty } from '../node/write-node.js';
import { orgTimestamp } from '../org/timestamp.js';
import { GENERAL } from '../query/access.js';
import type { Held, Repository } from './repository.js';
import type { Change, ChangeContext } from './writer.js';

/** A page of which aish keeps one part, and people write the rest. */
export interface KeptPage {
  readonly title: string;
  readonly summary: string;
  /**
   * Returns the lines for aish's part. It is called while the lock is held, so that the last writer has the newest
   * lines. Without lines no page is created.
   */
  readonly lines: () => Promise<readonly string[]>;
}

const AUTHOR = 'aish';
/** The message of a change that contains only the index, because the index must follow a person's commit. */
const NOTHING: Change = { files: new Map(), message: 'index: follow the nodes\n' };

/**
 * Returns the change that brings aish's part of the page up to date. aish finds the page by its mark, so the page may
 * move and have another title. A page that has only the title gets the part. A page that was deleted is not created
 * again, because git knows that it existed.
 */
export async function keepPartChange(page: KeptPage, repository: Repository, context: ChangeContext): Promise<Change> {
  const { head, now, signal } = context;
  const held = { signal };
  const lines = (await page.lines()).map((line) => line.trimEnd());
  const found = await findPage(page.title, repository, context);
  if (found === null) {
    if (lines.length === 0 || (await lastWritten('', repository, head, held)) !== null) return NOTHING;
    const id = randomUUID();
    const path = nodePath(id, page.title, now);
    const { title, summary } = page;
    const node = { id, title, summary, types: ['reference' as const], projects: [GENERAL], confidence: 'observed' as const }; // prettier-ignore
    const text = newNodeText({ ...node, createdBy: AUTHOR, now, sources: [] }, path, () => null);
    return changeOf(page, path, withPart(text, lines, null), lines);
  }
  const { path, text } = found;
  const old = partLines(text);
  const last = old === null || isUntouched(old) ? old?.lines : await writtenLines(old.digest, repository, head, held);
  const next = withPart(text, lines, last ?? null);
  if (next === text) return NOTHING;
  return changeOf(page, path, setProperty(next, 'UPDATED', orgTimestamp(now)), lines);
}

function changeOf({ title }: KeptPage, path: string, text: string, lines: readonly string[]): Change {
  const message = `keep: ${title}\n\n${KEPT}${partDigest(lines)} in ${path}\n`;
  return { files: new Map([[path, Buffer.from(text)]]), message };
}

async function findPage(title: string, repository: Repository, { head, read, signal }: ChangeContext) {
  const patterns = ['-e', `${PART_BEGINS}:`, '-e', title];
  const args = ['grep', '-z', '--name-only', '--fixed-strings', '--ignore-case', ...patterns, head, '--', '*.org'];
  const answer = await git(args, repository.git({ signal }));
  const paths = answer.stdout
    .toString('utf8')
    .split('\0')
    .map((entry) => entry.slice(entry.indexOf(':') + 1))
    .filter((path) => path !== '' && isNodePath(path));
  const pages: { readonly path: string; readonly text: string }[] = [];
  for (const path of paths) pages.push({ path, text: (await read(path))?.toString('utf8') ?? '' });
  const wanted = title.toLowerCase();
  const titled = ({ path, text }: (typeof pages)[number]) => readNode(text, path).node?.title.toLowerCase() === wanted;
  return pages.find(({ text }) => partLines(text) !== null) ?? pages.find(titled) ?? null;
}

const KEPT = 'Kept part ';

/** Returns the lines that aish wrote under this digest; null if the history no longer contains them. */
async function writtenLines(digest: string, repository: Repository, head: string, held: Partial<Held>) {
  const written = await lastWritten(`${digest} in `, repository, head, held);
  if (written === null) return null;
  const blobs = await readBlobs(written.commit, [written.path], repository.git(held));
  return partLines(blobs.get(written.path)?.toString('utf8') ?? '')?.lines ?? null;
}

async function lastWritten(what: string, repository: Repository, head: string, held: Partial<Held>) {
  const grep = ['--fixed-strings', `--grep=${KEPT}${what}`, `--author=${AUTHOR} <`];
  const text = await gitText(['log', '-1', '--format=%H%n%B', ...grep, head, '--'], repository.git(held));
  const commit = text.split('\n')[0] ?? '';
  const path = /^Kept part [0-9a-f]{16} in (.+)$/m.exec(text)?.[1];
  return commit === '' || path === undefined ? null : { commit, path };
}
