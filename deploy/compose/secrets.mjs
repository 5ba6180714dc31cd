// This script creates the random passwords of an installation once. Only the user that needs a file can read it.
// Existing passwords are kept, and missing ones are added. Each folder is a separate volume, mounted only where it is
// needed.
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const ROOT = '/secrets';
// These are the users of the images: postgres and redis are 999 in both official images, and node is 1000.
const POSTGRES = 999;
const REDIS = 999;
const NODE = 1000;

const made = [];

/** Writes `file` unless it already contains `text`, completely or not at all. */
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
// This key signs certificates for hosts. The api and the workers use it.
secret('hosts/ca-key', NODE);
// The services, Prometheus and Grafana use this token. All of them run as this user.
secret('metrics/token', NODE);
secret('grafana/password', NODE);
keep('redis/redis.conf', REDIS, `requirepass ${redis}\n`);
keep('store/database-url', NODE, `postgresql://aish:${postgres}@postgres:5432/aish\n`);
keep('store/redis-url', NODE, `redis://:${redis}@redis:6379/0\n`);
console.log(made.length === 0 ? 'secrets: all there' : `secrets: made ${made.join(', ')}`);
