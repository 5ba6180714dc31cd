import { readFileSync } from 'node:fs';
import { draftMigration } from '../migrations/drift.js';
import { MIGRATIONS_DIR, SCHEMA_FILE } from '../migrations/folder.js';
import { testServerUrl } from './postgres.js';

/** `npm run migration -w @aish/database -- add_labels` writes the next migration from prisma/schema.prisma. */
async function main(): Promise<void> {
  const file = await draftMigration(await testServerUrl(), {
    migrationsDir: MIGRATIONS_DIR,
    schema: readFileSync(SCHEMA_FILE, 'utf8'),
    name: process.argv[2] ?? '',
    now: new Date(),
  });
  console.log(file === null ? 'nothing to migrate: the migrations say what the schema says' : `wrote ${file}; read it`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
