import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { AishError } from '@aish/contracts/problems';

export interface Migration {
  /** The name of the folder, for example `20261120000000_init`. Migrations are sorted by these names. */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file in hex, which Prisma stores in `_prisma_migrations.checksum`. */
  readonly checksum: string;
}

// The path is the same from src/ and from dist/: two folders up is the package, four the repository.
const prismaDir = fileURLToPath(new URL('../../../../prisma', import.meta.url));

/** The folder `prisma/migrations` of this repository. */
export const MIGRATIONS_DIR = path.join(prismaDir, 'migrations');

/** The file `prisma/schema.prisma` of this repository. */
export const SCHEMA_FILE = path.join(prismaDir, 'schema.prisma');

/** Reads the migrations of a folder, oldest first. */
export async function readMigrations(dir: string): Promise<readonly Migration[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch((cause: unknown) => {
    throw new AishError('invalid_config', `There is no migrations folder at ${dir}`, {}, { cause });
  });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.toSorted().map(async (name) => {
      const bytes = await readFile(path.join(dir, name, 'migration.sql'));
      return { name, sql: bytes.toString('utf8'), checksum: createHash('sha256').update(bytes).digest('hex') };
    }),
  );
}
