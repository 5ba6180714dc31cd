import { FILE_PATH_MAX_BYTES } from '@aish/contracts/files';
import { AishError } from '@aish/contracts/problems';

const ROOT = '/workspace';

/**
 * Converts a path as people write it to an absolute one below /workspace. Links are resolved later, in the container.
 * @throws AishError `path_not_allowed`
 */
export function workspacePath(path: string): string {
  const refuse = (why: string) => new AishError('path_not_allowed', `The path ${why}: ${JSON.stringify(path)}`);
  if (path.includes('\0')) throw refuse('must not contain a NUL character');
  if (Buffer.byteLength(path) > FILE_PATH_MAX_BYTES) throw refuse(`has more than ${FILE_PATH_MAX_BYTES} bytes`);
  const isWhole = path.startsWith('/');
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw refuse('must not contain ..');
  if (isWhole && parts[0] !== ROOT.slice(1)) throw refuse('is not below /workspace');
  return [ROOT, ...(isWhole ? parts.slice(1) : parts)].join('/');
}

/**
 * Returns whether a link in the folder `from` (a list of names) that points to `target` stays inside the folder of its
 * archive.
 */
export function staysInside(from: readonly string[], target: string): boolean {
  if (target.startsWith('/')) return false;
  let depth = from.length;
  for (const part of target.split('/')) {
    if (part === '..') depth -= 1;
    else if (part !== '' && part !== '.') depth += 1;
    if (depth < 0) return false;
  }
  return true;
}
