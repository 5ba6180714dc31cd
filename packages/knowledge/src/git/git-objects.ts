import { AishError } from '@aish/contracts/problems';
import { git, gitText, type GitOptions } from './git.js';

/** The new content of each path, or null if it is removed. */
export type Changes = ReadonlyMap<string, Buffer | null>;

export interface CommitInput {
  readonly branch: string;
  readonly parent: string | null;
  readonly changes: Changes;
  readonly message: string;
  readonly author: string;
  readonly now: Date;
}

/** The ref for a commit that is on no branch yet. Only the holder of the repository's lock changes it. */
export const PENDING = 'refs/aish/pending';
const COMMITTER = 'aish <aish@localhost>';

/**
 * Makes a commit without changing branch, index or files. A separate ref keeps it until `moveBranch`. This takes one
 * process, and its cost does not depend on the number of files.
 */
export async function makeCommit(input: CommitInput, options: GitOptions): Promise<string> {
  const seconds = Math.floor(input.now.getTime() / 1_000);
  const parts: (string | Buffer)[] = [
    `commit ${PENDING}\nmark :1\n`,
    `author ${person(input.author)} ${seconds} +0000\ncommitter ${COMMITTER} ${seconds} +0000\n`,
    data(Buffer.from(input.message)),
    input.parent === null ? '' : `from ${input.parent}\n`,
  ];
  for (const [path, content] of input.changes) {
    parts.push(content === null ? `D ${quoted(path)}\n` : `M 100644 inline ${quoted(path)}\n`);
    if (content !== null) parts.push(data(content));
  }
  parts.push('\nget-mark :1\ndone\n');
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  // The same command unpacks the pack again, so compressing it would be useless.
  const settings = ['-c', 'pack.compression=0', '-c', 'core.looseCompression=1'];
  const printed = await gitText([...settings, 'fast-import', '--quiet', '--force', '--done'], {
    ...options,
    input: body,
  });
  const commit = printed.trim();
  if (!/^[0-9a-f]{40,64}$/.test(commit)) throw new AishError('knowledge_git', 'git fast-import returned no commit');
  return commit;
}

/**
 * Moves the branch in one step, and only from its expected position.
 *
 * @throws AishError `knowledge_git` if the branch was elsewhere.
 */
export async function moveBranch(
  move: { readonly branch: string; readonly from: string | null; readonly to: string; readonly reason: string },
  options: GitOptions,
): Promise<void> {
  const from = move.from ?? '0'.repeat(move.to.length);
  const input = `start\nupdate refs/heads/${move.branch} ${move.to} ${from}\ndelete ${PENDING}\nprepare\ncommit\n`;
  await gitText(['update-ref', '-m', move.reason, '--create-reflog', '--stdin'], { ...options, input });
}

/** Returns the contents of `paths` in a commit, with null for missing ones. git's output limit applies. */
export async function readBlobs(
  commit: string,
  paths: readonly string[],
  options: GitOptions,
): Promise<Map<string, Buffer | null>> {
  const found = new Map<string, Buffer | null>();
  if (paths.length === 0) return found;
  const input = paths.map((path) => `${commit}:${path}\n`).join('');
  const answer = await git(['cat-file', '--batch'], { ...options, input });
  let at = 0;
  for (const path of paths) {
    const feed = answer.stdout.indexOf(0x0a, at);
    const head = answer.stdout.toString('utf8', at, feed);
    const size = / blob (\d+)$/.exec(head)?.[1];
    if (feed === -1 || (size === undefined && !head.endsWith(' missing'))) {
      throw new AishError('knowledge_git', `git cat-file cannot read ${path}`);
    }
    at = feed + 1;
    if (size === undefined) found.set(path, null);
    else {
      found.set(path, answer.stdout.subarray(at, at + Number(size)));
      at += Number(size) + 1;
    }
  }
  return found;
}

/** Returns the paths that differ between two commits. */
export async function changedPaths(from: string, to: string, options: GitOptions): Promise<string[]> {
  const text = await gitText(['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, to], options);
  return text.split('\0').filter((path) => path !== '');
}

/** Returns all paths of a commit. */
export async function listPaths(commit: string, options: GitOptions): Promise<string[]> {
  const text = await gitText(['ls-tree', '-r', '-z', '--name-only', commit], options);
  return text.split('\0').filter((path) => path !== '');
}

function data(content: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`data ${content.length}\n`), content, Buffer.from('\n')]);
}

/** Quotes a path for fast-import in C style. The path may contain any characters. */
function quoted(path: string): string {
  if (path.includes('\0')) throw new AishError('knowledge_git', 'A path cannot contain a NUL character');
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

function person(name: string): string {
  const plain = name.replaceAll(/[<>\0\r\n]/g, ' ').trim() || 'aish';
  return `${plain} <${plain.replaceAll(/[^\w.-]+/g, '-')}@aish>`;
}
