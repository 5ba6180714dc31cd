import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@aish/database/embedded/embedded-postgres';
import { migrate } from '@aish/database/migrations/migrate';
import type { TestDatabase } from '@aish/database/testing';

/** Starts a separate server with the settings of `npm start`, including fsync, which the test server omits. */
export async function startLastingDatabase(options: { readonly migrationsDir?: string } = {}): Promise<TestDatabase> {
  const dir = await mkdtemp(join(tmpdir(), 'aish-bench-database-'));
  await chmod(dir, 0o755);
  const server = await startEmbeddedPostgres({
    dataDir: join(dir, 'data'),
    password: randomBytes(12).toString('hex'),
    createUser: true,
  });
  const url = server.url('aish');
  await migrate(url, { createDatabase: true, ...options });
  return {
    url,
    drop: async () => {
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
