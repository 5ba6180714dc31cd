// Makes the passwords of one installation: random, once, each file readable by the one user that needs it. What exists
// stays; what is missing is made from what exists. Each folder is a volume of its own, mounted only where it is needed.
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const ROOT = '/secrets';
// The users of the images: postgres and redis are 999 in both official images, node is 1000.
const POSTGRES = 999;
const REDIS = 999;
const NODE = 1000;

const made = [];

/** Writes `file` unless it holds `text` already; whole or not at all. */
function keep(file, owner, text) {
  const path = `${ROOT}/${file}`;
  const isThere = existsSync(path) && readFileSync(path, 'utf8') === text;
  const target = isThere ? path : `${path}.part`;
  if (!isThere) writeFileSync(target, text, { mode: 0o600, flush: true });
  chownSync(target, owner, owner);
  chmodSync(target, 0o400);
  if (isThere) return;
  renameSync(target, path);
  made.push(file);
}

function secret(file, owner) {
  const path = `${ROOT}/${file}`;
  const value = (existsSync(path) ? readFileSync(path, 'utf8').trim() : '') || randomBytes(32).toString('hex');
  keep(file, owner, value);
  return value;
}

const postgres = secret('postgres/password', POSTGRES);
const redis = secret('redis/password', REDIS);
secret('sandbox/token', NODE);
// What certificates for other hosts are signed with: of the api and the workers.
secret('hosts/ca-key', NODE);
// Of the services, of Prometheus and of Grafana, which all run as this user.
secret('metrics/token', NODE);
secret('grafana/password', NODE);
keep('redis/redis.conf', REDIS, `requirepass ${redis}\n`);
keep('store/database-url', NODE, `postgresql://aish:${postgres}@postgres:5432/aish\n`);
keep('store/redis-url', NODE, `redis://:${redis}@redis:6379/0\n`);
console.log(made.length === 0 ? 'secrets: all there' : `secrets: made ${made.join(', ')}`);
