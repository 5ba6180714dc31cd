import { createHash } from 'node:crypto';
import { BACKUP_MANIFEST, BackupManifest } from '@aish/contracts/backup';
import { AishError } from '@aish/contracts/problems';

/**
 * Reads a backup completely and compares every file with its manifest. @throws AishError `backup_broken` if it is not a
 * backup, is incomplete, or does not match its manifest
 */
export async function verifyBackup(path: string): Promise<BackupManifest> {
  // This package is loaded lazily, because no other command reads archives.
  const { list } = await import('tar');
  const sums = new Map<string, { sizeBytes: number; sha256: string }>();
  let text = '';
  try {
    await list({
      file: path,
      strict: true,
      onReadEntry: (entry) => {
        const hash = createHash('sha256');
        let sizeBytes = 0;
        entry.on('data', (chunk: Buffer) => {
          hash.update(chunk);
          sizeBytes += chunk.length;
          if (entry.path === BACKUP_MANIFEST) text += chunk.toString('utf8');
        });
        entry.on('end', () => sums.set(entry.path, { sizeBytes, sha256: hash.digest('hex') }));
      },
    });
  } catch (cause) {
    throw new AishError('backup_broken', `${path} is not a backup, or it is incomplete`, {}, { cause });
  }
  const manifest = BackupManifest.safeParse(jsonOf(text));
  if (!manifest.success) throw new AishError('backup_broken', `${path} has no manifest that this version can read`);
  for (const { path: name, sizeBytes, sha256 } of manifest.data.files) {
    const found = sums.get(name);
    if (found?.sizeBytes !== sizeBytes || found.sha256 !== sha256) {
      throw new AishError('backup_broken', `${name} in ${path} does not match the manifest`);
    }
  }
  return manifest.data;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // the schema refuses the text
  }
}
