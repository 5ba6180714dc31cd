#!/usr/bin/env node
// npm start: builds what has changed (quietly, a second or two if nothing has), then becomes the launcher.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const TELL_EVERY_MS = 20_000;
const root = fileURLToPath(new URL('../../', import.meta.url));
const main = new URL('./dist/main.js', import.meta.url);

console.log(existsSync(main) ? 'build: looking for changes' : 'build: the first time takes about a minute');
const nx = [
  `${root}node_modules/nx/dist/bin/nx.js`,
  'run-many',
  '--targets=build',
  '--output-style=stream-without-prefixes',
];
const build = spawn(process.execPath, nx, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
let output = '';
for (const stream of [build.stdout, build.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
// A slow or busy machine builds for minutes. Without a message, that would look like a hang.
const began = Date.now();
const told = setInterval(
  () => console.log(`build: still building, after ${Math.round((Date.now() - began) / 1_000)} s`),
  TELL_EVERY_MS,
);
const [status, signal] = await once(build, 'close');
clearInterval(told);
if (status !== 0) {
  console.error(`${output}\nbuild: failed${signal === null ? '' : ` (${signal})`}`);
  process.exit(1);
}
await import(main.href);
