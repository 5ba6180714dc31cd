import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { request } from 'node:https';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifies } from '../../requirements.js';
import { closeAll } from '../../support/close-all.js';
import { Compose } from '../../support/compose.js';
import { eventually } from '../../support/eventually.js';
import { buildImages, BUILD_TIMEOUT_MS } from '../../support/images.js';

const run = promisify(execFile);
const NAME = `aish-test-${randomUUID().slice(0, 8)}`;
const DOMAIN = 'aish.lan';
const WRONG_PER_MINUTE = 3;
/** An address that belongs to nobody (RFC 5737). */
const NOBODY = '192.0.2.1';
/** The container ends by itself after this time, so that a killed suite leaves nothing running. */
const LIFETIME_SECONDS = '600';
/**
 * Prints the status of one request for each token, one after the other, as a list. Each claims to come from someone
 * else. One process sends them all, so that they are in the same minute on a slow machine, too.
 */
const ASK = `const [, ca, ...tokens] = process.argv;
  const ask = (token) => new Promise((resolve, reject) => require('node:https').get({
    host: 'tls', port: 8443, servername: '${DOMAIN}', path: '/v1/goals', ca,
    headers: { host: '${DOMAIN}', authorization: 'Bearer ' + token, 'x-forwarded-for': '192.0.2.9' },
  }, (response) => { response.resume(); resolve(response.statusCode); }).once('error', reject));
  (async () => {
    const statuses = [];
    for (const token of tokens) statuses.push(await ask(token));
    console.log(JSON.stringify(statuses));
  })();`;

describe('docker compose with the profile tls', () => {
  let compose: Compose;
  let settings: Readonly<Record<string, string>>;
  let token: string;
  /** The certificate of the authority that Caddy created. */
  let authority: string;

  beforeAll(async () => {
    settings = {
      COMPOSE_PROFILES: 'tls',
      AISH_DOMAIN: DOMAIN,
      AISH_TLS: 'tls internal',
      TLS_ADDRESS: '127.0.0.1',
      TLS_PORT: '0',
      TLS_HTTP_PORT: '0',
      WRONG_TOKENS_PER_MINUTE: String(WRONG_PER_MINUTE),
      // By default the api trusts the Caddy server of this profile as soon as it has resolved the name of that server.
      TRUSTED_PROXIES: NOBODY,
      LOG_LEVEL: 'debug',
    };
    compose = new Compose(NAME, settings);
    await buildImages();
    await compose.documented('docker compose up -d --build --wait', {
      replaced: { '--build': '--no-build' },
      timeoutMs: BUILD_TIMEOUT_MS,
    });
    token = (await compose.documented('docker compose exec api cat /var/lib/aish/token')).trim();
    authority = await compose.run(['exec', '-T', 'tls', 'cat', '/data/caddy/pki/authorities/local/root.crt']);
    for (const name of ['one', 'other']) {
      const client = ['--detach', '--rm', '--init', '--name', `${NAME}-${name}`, '--network', `${NAME}_front`];
      await run('docker', ['run', ...client, 'aish-secrets', 'sleep', LIFETIME_SECONDS]);
    }
  }, BUILD_TIMEOUT_MS);

  afterAll(
    () =>
      closeAll(
        () => run('docker', ['rm', '--force', `${NAME}-one`, `${NAME}-other`]),
        () => compose?.run(['down', '--volumes', '--timeout', '10']),
      ),
    120_000,
  );

  /** Returns the statuses that a client in its own container, with its own address, gets through Caddy. */
  async function answers(client: 'one' | 'other', ...tokens: readonly string[]): Promise<unknown> {
    // The certificate begins with dashes, as options do.
    const asked = ['node', '-e', ASK, '--', authority, ...tokens];
    const { stdout } = await run('docker', ['exec', `${NAME}-${client}`, ...asked]);
    return JSON.parse(stdout);
  }

  async function addressOf(container: string): Promise<string> {
    const format = `{{(index .NetworkSettings.Networks "${NAME}_front").IPAddress}}`;
    return (await run('docker', ['inspect', '--format', format, container])).stdout.trim();
  }

  /**
   * Returns the addresses of requests with this status in the api's log since its last start. The engine receives a
   * line some time after the client receives the response.
   */
  async function loggedFor(status: number): Promise<readonly string[]> {
    return eventually(`the log has a response ${status}`, async () => {
      const lines = (await compose.run(['logs', '--no-color', '--no-log-prefix', 'api'])).split('\n');
      const found = lines
        .filter((line) => line.includes(`"status":${status},`))
        .map((line) => /"address":"([^"]*)"/.exec(line));
      return found.length > 0 && [...new Set(found.map((match) => match?.[1] ?? ''))];
    });
  }

  const WRONG = Array.from({ length: WRONG_PER_MINUTE + 1 }, () => 'aish_not-a-token');
  const REFUSED = [...Array.from({ length: WRONG_PER_MINUTE }, () => 401), 429];

  it(
    verifies('compose.tls'),
    async () => {
      const { hostname, port } = new URL(`https://${await compose.publishedAt('tls', 8443)}`);
      const { status, hsts } = await new Promise<{ status: number | undefined; hsts: string | undefined }>(
        (resolve, reject) => {
          request(
            {
              host: hostname,
              port,
              servername: DOMAIN,
              ca: authority,
              path: '/v1/health',
              headers: { host: DOMAIN },
            },
            (response) => {
              response.resume();
              resolve({ status: response.statusCode, hsts: response.headers['strict-transport-security'] });
            },
          )
            .once('error', reject)
            .end();
        },
      );
      expect([status, hsts]).toEqual([200, 'max-age=31536000']);
      const plain = await fetch(`http://${await compose.publishedAt('tls', 8080)}/`, {
        headers: { host: DOMAIN },
        redirect: 'manual',
      });
      expect([plain.status, plain.headers.get('location')]).toEqual([308, expect.stringMatching(/^https:/)]);
    },
    60_000,
  );

  it(
    verifies('api.proxies', 'all clients behind an untrusted Caddy count as Caddy'),
    async () => {
      expect(await answers('other', token)).toEqual([200]);
      expect(await answers('one', ...WRONG)).toEqual(REFUSED);
      expect(await answers('other', token)).toEqual([429]);
      expect(await loggedFor(429)).toEqual([await addressOf(`${NAME}-tls-1`)]);
    },
    60_000,
  );

  it(
    verifies('api.proxies', 'each client behind the profile’s Caddy counts by the address that Caddy saw'),
    async () => {
      const { TRUSTED_PROXIES: _nobody, ...usual } = settings;
      await new Compose(NAME, usual).run(['up', '--detach', '--wait'], 300_000);
      await eventually('the api has looked up the name of its proxy', async () => {
        await answers('other', token);
        return (await loggedFor(200)).includes(await addressOf(`${NAME}-other`));
      });
      // Neither a good token nor a false address helps, because Caddy drops the claimed address.
      expect(await answers('one', ...WRONG, token)).toEqual([...REFUSED, 429]);
      expect(await answers('other', token)).toEqual([200]);
      expect(await loggedFor(429)).toEqual([await addressOf(`${NAME}-one`)]);
    },
    180_000,
  );
});
