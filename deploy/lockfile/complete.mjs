#!/usr/bin/env node
// This script completes package-lock.json after a change. It adds the entries of optional platform packages that the
// registry in use does not have. Without them `npm ci` fails with "Missing: … from lock file" on every machine.
//
//   node deploy/lockfile/complete.mjs           adds missing entries
//   node deploy/lockfile/complete.mjs --check   exits with 1 and names missing entries
import { readFileSync, writeFileSync } from 'node:fs';

const FILE = 'package-lock.json';
const OS = {
  darwin: 'darwin',
  macos: 'darwin',
  win32: 'win32',
  windows: 'win32',
  linux: 'linux',
  linuxmusl: 'linux',
  freebsd: 'freebsd',
  openbsd: 'openbsd',
  android: 'android',
  openharmony: 'openharmony',
  aix: 'aix',
  sunos: 'sunos',
  netbsd: 'netbsd',
};
const CPU = ['x64', 'arm64', 'arm', 'ia32', 'ppc64', 's390x', 'riscv64', 'loong64', 'mips64el', 'wasm32'];

const lock = JSON.parse(readFileSync(FILE, 'utf8'));
const packages = lock.packages;

/** Returns whether `name` resolves from the package at `from`, by node's lookup. */
function resolves(from, name) {
  for (let base = from; ; base = base.slice(0, Math.max(0, base.lastIndexOf('node_modules/') - 1))) {
    if (packages[`${base ? `${base}/` : ''}node_modules/${name}`]) return true;
    if (base === '') return false;
    if (base.lastIndexOf('node_modules/') <= 0) base = '';
    if (base === '') return Boolean(packages[`node_modules/${name}`]);
  }
}

const missing = [];
for (const [where, entry] of Object.entries(packages)) {
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`;
    if (resolves(where, name) || missing.some((other) => other.key === key)) continue;
    const parts = name.split(/[/@_-]+/);
    const os = parts.map((part) => OS[part]).find(Boolean);
    const cpu = parts.find((part) => CPU.includes(part));
    const libc =
      parts.includes('musl') || parts.includes('linuxmusl') ? 'musl' : parts.includes('gnu') ? 'glibc' : undefined;
    missing.push({
      key,
      entry: {
        version: range.replace(/^[^0-9]*/, ''),
        ...(cpu ? { cpu: [cpu] } : {}),
        ...(libc ? { libc: [libc] } : {}),
        optional: true,
        ...(os ? { os: [os] } : {}),
      },
    });
  }
}

if (process.argv.includes('--check')) {
  for (const { key } of missing) console.error(`${FILE}: ${key} is missing; run node deploy/lockfile/complete.mjs`);
  process.exit(missing.length === 0 ? 0 : 1);
}
for (const { key, entry } of missing) packages[key] = entry;
lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en')));
writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`added ${missing.length} entries`);
