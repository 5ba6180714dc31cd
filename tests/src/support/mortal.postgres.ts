import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@aish/database/embedded/embedded-postgres';
import { migrate } from '@aish/database/migrations/migrate';
import { freePort } from './service.process.js';

/** A separate, durable Postgres that may be killed with SIGKILL and restarted with its data, on the same port. */
export interface MortalPostgres {
  readonly url: string;
  readonly pid: number;
  kill(): Promise<void>;
  start(): Promise<void>;
  drop(): Promise<void>;
}

const DATABASE = 'aish';

export async function startMortalPostgres(): Promise<MortalPostgres> {
  const dir = await mkdtemp(join(tmpdir(), 'aish-mortal-'));
  // If the tests run as root, Postgres runs as another user.
  await chmod(dir, 0o711);
  const options = {
    dataDir: join(dir, 'data'),
    port: await freePort(),
    password: randomBytes(18).toString('base64url'),
    createUser: true,
    settings: { max_connections: '300' },
  };
  let server: EmbeddedPostgres = await startEmbeddedPostgres(options);
  const url = server.url(DATABASE);
  await migrate(url, { createDatabase: true });
  return {
    url,
    get pid() {
      return server.pid;
    },
    kill: async () => {
      process.kill(server.pid, 'SIGKILL');
      await server.ended;
    },
    start: async () => {
      server = await startEmbeddedPostgres(options);
    },
    drop: async () => {
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
