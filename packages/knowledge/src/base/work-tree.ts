import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AishError } from '@aish/contracts/problems';

/** Reads a file of the tree; null if it does not exist. */
export async function readTreeFile(dir: string, path: string): Promise<Buffer | null> {
  try {
    return await readFile(inside(dir, path));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/** Writes a file completely or not at all. Readers see the old content or the new one. */
export async function writeTreeFile(dir: string, path: string, content: Buffer | string): Promise<void> {
  const file = inside(dir, path);
  await mkdir(dirname(file), { recursive: true });
  // The temporary file is inside .git, because a file that a crash leaves beside the target must not look like
  // somebody's change.
  const temporary = join(dir, '.git', 'aish', `tmp-${randomUUID()}`);
  await writeFile(temporary, content);
  await rename(temporary, file);
}

/** Removes a file and then its empty folders, as git does. */
export async function removeTreeFile(dir: string, path: string): Promise<void> {
  await rm(inside(dir, path), { force: true });
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    try {
      await rmdir(join(dir, folder));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOTEMPTY' || code === 'EEXIST') return;
      if (code !== 'ENOENT') throw error;
    }
  }
}

function inside(dir: string, path: string): string {
  const parts = path.split('/');
  if (path.startsWith('/') || parts.includes('..') || parts[0] === '.git') {
    throw new AishError('knowledge_invalid', `${path} is not a path in the knowledge base`);
  }
  return join(dir, path);
}
