import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AishError } from '@aish/contracts/problems';
import type { DiffTarget } from '@prisma/schema-engine-wasm/schema_engine_bg';
import { readMigrations } from './folder.js';
import { NO_FILTERS, migrationList, withSchemaEngine } from './schema-engine.js';

/**
 * Returns the SQL that leads from the result of the migrations to the schema; null if they agree. It works in a
 * temporary database on the server of `url`, whose user must be allowed to create one.
 */
export async function drift(url: string, migrationsDir: string, schema: string): Promise<string | null> {
  const migrations = await readMigrations(migrationsDir);
  const from: DiffTarget =
    migrations.length === 0 ? { tag: 'empty' } : { tag: 'migrations', ...migrationList(migrationsDir, migrations) };
  return withSchemaEngine(schema, url, async (engine) => {
    const result = await engine.diff({
      from,
      to: { tag: 'schemaDatamodel', files: [{ path: 'schema.prisma', content: schema }] },
      script: true,
      exitCode: true,
      filters: NO_FILTERS,
    });
    return result.exitCode === 0 ? null : (result.stdout ?? '');
  });
}

/**
 * Writes the next migration from the difference between the migrations and the schema. Read it before you commit it: a
 * renamed column appears as one dropped and one added.
 *
 * @returns the new file, or null if there is nothing to migrate.
 */
export async function draftMigration(
  url: string,
  options: { readonly migrationsDir: string; readonly schema: string; readonly name: string; readonly now: Date },
): Promise<string | null> {
  if (!/^[a-z][a-z0-9_]{0,59}$/.test(options.name)) {
    throw new AishError(
      'invalid_config',
      `"${options.name}" is not a valid name for a migration. Use a-z, 0-9 and _, and begin with a letter`,
    );
  }
  const sql = await drift(url, options.migrationsDir, options.schema);
  if (sql === null) return null;
  const stamp = options.now.toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const dir = path.join(options.migrationsDir, `${stamp}_${options.name}`);
  await mkdir(dir, { recursive: true });
  const file = path.join(dir, 'migration.sql');
  await writeFile(file, sql, { flag: 'wx' });
  return file;
}
