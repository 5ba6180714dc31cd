#!/usr/bin/env node
// npm start: builds what has changed (quietly; a second or two when nothing has), then becomes the launcher.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const main = new URL('./dist/main.js', import.meta.url);

console.log(existsSync(main) ? 'build: looking for changes' : 'build: the first time takes about a minute');
const { status, signal, stdout, stderr } = spawnSync(
  process.execPath,
  [`${root}node_modules/nx/dist/bin/nx.js`, 'run-many', '--targets=build', '--output-style=stream-without-prefixes'],
  { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
);
if (status !== 0) {
  console.error(`${stdout}${stderr}\nbuild: failed${signal === null ? '' : ` (${signal})`}`);
  process.exit(1);
}
await import(main.href);
