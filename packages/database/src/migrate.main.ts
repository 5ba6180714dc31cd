import { readFileSync } from 'node:fs';
import { parseConfig } from '@aish/contracts/config/parse-config';
import { isAishError } from '@aish/contracts/problems';
import { z } from 'zod';
import { migrate } from './migrations/migrate.js';

/**
 * The exit codes: 0 if the database is up to date, 1 for a failure, 2 for wrong settings, 3 if the database belongs to
 * a newer version.
 */
const EXIT = { invalid_config: 2, database_newer: 3 } as const;

const MigrateConfig = z.object({
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).describe('Postgres, as a postgresql:// URL'),
  MIGRATIONS_DIR: z.string().min(1).optional().describe('Where the migrations are; the ones of this version otherwise'),
  CREATE_DATABASE: z.stringbool().default(false).describe('Make the database when it does not exist'),
});

async function main(): Promise<void> {
  const config = parseConfig(MigrateConfig, process.env, (path) => readFileSync(path, 'utf8'));
  const { applied } = await migrate(config.DATABASE_URL, {
    createDatabase: config.CREATE_DATABASE,
    ...(config.MIGRATIONS_DIR === undefined ? {} : { migrationsDir: config.MIGRATIONS_DIR }),
    onProgress: (progress) =>
      console.log(
        progress.type === 'applying'
          ? `applying ${progress.name} (${progress.n} of ${progress.of})`
          : `note: ${progress.name} was changed after it had been applied here`,
      ),
  });
  console.log(applied.length === 0 ? 'the database is up to date' : `applied ${applied.length}`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = isAishError(error, 'invalid_config', 'database_newer') ? EXIT[error.code as keyof typeof EXIT] : 1;
});
