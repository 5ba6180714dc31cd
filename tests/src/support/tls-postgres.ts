import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, copyFile, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startEmbeddedPostgres } from '@aish/database/embedded/embedded-postgres';
import pg from 'pg';
import { closeAll } from './close-all.js';

const run = promisify(execFile);

/**
 * A Postgres as someone else would manage it, with an ordinary role, a separate database, and only TLS with a private
 * authority.
 */
export interface TlsPostgres {
  /** Returns the URL with sslmode=verify-full, unless another mode is given. */
  url(options?: { readonly host?: string; readonly ca?: string; readonly mode?: string }): string;
  /** The certificate of the authority that signed the server's. `stranger` is that of another authority. */
  readonly authority: string;
  readonly stranger: string;
  /** The URL of the superuser, without TLS. */
  readonly superuserUrl: string;
  drop(): Promise<void>;
}

/** Starts the server. Its certificate is only for `localhost`. */
export async function startTlsPostgres(): Promise<TlsPostgres> {
  const dir = await mkdtemp(join(tmpdir(), 'aish-tls-'));
  // If the tests run as root, Postgres runs as another user.
  await chmod(dir, 0o711);
  const [authority, stranger] = [join(dir, 'authority'), join(dir, 'stranger')];
  for (const path of [authority, stranger]) await makeAuthority(path);
  await sign(join(dir, 'server'), authority);
  const dataDir = join(dir, 'data');
  const server = await startEmbeddedPostgres({
    dataDir,
    password: randomBytes(18).toString('base64url'),
    createUser: true,
    settings: { fsync: 'off', max_connections: '200' },
  });
  const drop = () =>
    closeAll(
      () => server.stop(),
      () => rm(dir, { recursive: true, force: true }),
    );
  try {
    const { uid, gid } = await stat(dataDir);
    for (const name of ['server.crt', 'server.key']) {
      await copyFile(join(dir, name), join(dataDir, name));
      await chown(join(dataDir, name), uid, gid);
      await chmod(join(dataDir, name), 0o600);
    }
    await writeFile(
      join(dataDir, 'pg_hba.conf'),
      'host all postgres samehost scram-sha-256\nhostssl all aish samehost scram-sha-256\n',
    );
    const password = randomBytes(18).toString('hex');
    await asSuperuser(server.url(), [
      `create role aish login password '${password}'`,
      'create database aish owner aish',
      'alter system set ssl = on',
      'select pg_reload_conf()',
    ]);
    return {
      url: ({ host = 'localhost', ca = `${authority}.crt`, mode = 'verify-full' } = {}) => {
        const root = mode === 'disable' ? '' : `&sslrootcert=${encodeURIComponent(ca)}`;
        return `postgresql://aish:${password}@${host}:${server.port}/aish?sslmode=${mode}${root}`;
      },
      authority: `${authority}.crt`,
      stranger: `${stranger}.crt`,
      superuserUrl: server.url('aish'),
      drop,
    };
  } catch (error) {
    await drop();
    throw error;
  }
}

async function asSuperuser(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

async function makeAuthority(path: string): Promise<void> {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', `${path}.key`];
  await run('openssl', ['req', '-x509', ...key, '-subj', '/CN=an authority', '-days', '2', '-out', `${path}.crt`]);
}

async function sign(path: string, authority: string): Promise<void> {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', `${path}.key`];
  const signer = ['-CA', `${authority}.crt`, '-CAkey', `${authority}.key`];
  await writeFile(`${path}.ext`, 'subjectAltName = DNS:localhost\n');
  await run('openssl', ['req', ...key, '-subj', '/CN=database', '-out', `${path}.csr`]);
  const request = ['-req', '-in', `${path}.csr`, '-extfile', `${path}.ext`, '-CAcreateserial', '-days', '2'];
  await run('openssl', ['x509', ...request, ...signer, '-out', `${path}.crt`]);
}
