import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BACKUP_MANIFEST, BackupManifest } from '@aish/contracts/backup';
import { AishError } from '@aish/contracts/problems';
import * as tar from 'tar';

/** Returns the sizes and checksums of files below `dir`. */
export async function describeFiles(dir: string, paths: readonly string[]): Promise<BackupManifest['files']> {
  const files: BackupManifest['files'] = [];
  for (const path of paths) {
    const { size } = await stat(join(dir, path));
    files.push({ path, sizeBytes: size, sha256: await sumOf(join(dir, path)) });
  }
  return files;
}

/** Streams an archive of a folder with the files that the manifest lists. */
export async function packArchive(dir: string, manifest: BackupManifest): Promise<Readable> {
  await writeFile(join(dir, BACKUP_MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  const paths = [BACKUP_MANIFEST, ...manifest.files.map(({ path }) => path)];
  // The streams of `tar` have the same interface as Node's.
  return tar.create({ cwd: dir, gzip: true, portable: true, follow: false }, paths) as unknown as Readable;
}

/**
 * Unpacks an archive into an empty folder and compares every file with the manifest. @throws AishError `backup_broken`
 * if the archive is not an aish backup, is incomplete or changed, or has files that the manifest does not list
 */
export async function unpackArchive(archive: Readable, dir: string): Promise<BackupManifest> {
  try {
    await pipeline(
      archive,
      tar.extract({
        cwd: dir,
        strict: true,
        // Only files are unpacked, because a link could point outside the folder.
        filter: (path, entry) => 'type' in entry && entry.type === 'File' && !path.split(/[/\\]/).includes('..'),
        preserveOwner: false,
      }),
    );
  } catch (cause) {
    throw new AishError('backup_broken', 'This is not an aish backup, or it is incomplete', {}, { cause });
  }
  const manifest = await readManifest(dir);
  for (const { path, sizeBytes, sha256 } of manifest.files) {
    if (path.startsWith(sep) || path.split('/').includes('..')) throw broken(path);
    const found = await stat(join(dir, path)).catch(() => null);
    if (found?.size !== sizeBytes || (await sumOf(join(dir, path))) !== sha256) throw broken(path);
  }
  const named = new Set(manifest.files.map(({ path }) => path));
  const wanted = [
    ...manifest.tables.map(({ path }) => path),
    ...manifest.workspaces.map(({ path }) => path),
    ...(manifest.knowledge === null ? [] : [manifest.knowledge]),
  ];
  const missing = wanted.find((path) => !named.has(path));
  if (missing !== undefined) throw broken(missing);
  return manifest;
}

/** Removes the folder of an unpacked archive. Files may still be written to it for a moment after a failure. */
export async function removeFolder(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

async function readManifest(dir: string): Promise<BackupManifest> {
  const text = await readFile(join(dir, BACKUP_MANIFEST), 'utf8').catch(() => '');
  const parsed = BackupManifest.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  throw new AishError('backup_broken', 'The backup has no manifest that this version can read');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // the schema refuses it
  }
}

function broken(path: string): AishError {
  return new AishError('backup_broken', `${path} does not match the backup's manifest`, { path });
}

async function sumOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
