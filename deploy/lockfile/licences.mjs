#!/usr/bin/env node
// This script checks the licence of every package in package-lock.json against the list below. It exits with 1 and
// names the packages with other licences. The list excludes copyleft licences that would affect our own code.
//
//   node deploy/lockfile/licences.mjs
import { existsSync, readFileSync } from 'node:fs';

const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
  'Zlib',
]);
/** Exceptions with their reasons. */
const EXCEPTIONS = {
  'caniuse-lite': 'CC-BY-4.0: data, for building alone',
  elkjs: 'EPL-2.0: comes with the studio of the Prisma CLI, unchanged; in no image',
  'axe-core': 'MPL-2.0: looks at pages in tests alone',
  '@modelcontextprotocol/server-everything': 'MIT, said in a file; for tests alone',
  '@modelcontextprotocol/server-filesystem': 'MIT, said in a file; for tests alone',
};

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));

/** Returns whether an SPDX expression can be satisfied with allowed licences: all parts of AND, and one of OR. */
function allows(expression) {
  const plain = expression.replaceAll(/[()]/g, ' ').trim();
  if (/\bor\b/i.test(plain)) return plain.split(/\bor\b/i).some(allows);
  return plain.split(/\band\b/i).every((part) => ALLOWED.has(part.trim()));
}

/**
 * Returns the licence from the lock file, or else from the installed package. It is unknown for platform packages that
 * are not installed here.
 */
function licenceOf(path, { license }) {
  if (license !== undefined || !existsSync(`${path}/package.json`)) return license;
  const manifest = JSON.parse(readFileSync(`${path}/package.json`, 'utf8'));
  // Old packages have a list, which may contain objects.
  const stated = manifest.license ?? manifest.licenses?.[0];
  return typeof stated === 'object' ? stated?.type : stated;
}

const wrong = [];
let unknown = 0;
let checked = 0;
for (const [path, entry] of Object.entries(packages)) {
  const at = path.lastIndexOf('node_modules/');
  if (at < 0 || entry.link) continue;
  const name = path.slice(at + 'node_modules/'.length);
  const licence = licenceOf(path, entry);
  checked += 1;
  if (licence === undefined && entry.optional === true) unknown += 1;
  else if (!(name in EXCEPTIONS) && !allows(licence ?? '')) wrong.push(`${name}: ${licence ?? 'says no licence'}`);
}
for (const line of new Set(wrong)) console.log(line);
console.log(
  `${checked} packages, ${wrong.length} wrong, ${unknown} for other platforms that the registry does not describe`,
);
process.exit(wrong.length === 0 ? 0 : 1);
