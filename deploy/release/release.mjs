#!/usr/bin/env node
// Makes a release of the committed revision twice, in two clones, and fails if they differ. Then it writes a list of
// SHA-256 sums, and signs that list.
//
//   npm run release -- OUT [--key FILE]
//
// FILE is a private SSH key, or the public key of one that an agent holds. AISH_RELEASE_KEY names it, too. Its public
// part must be in deploy/release/signers. The engine must keep images in containerd's store, or the builder of buildx
// must be another one (docker buildx create --use). SHA256SUMS covers all other files of OUT.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { firstDifference } from './difference.mjs';
import { IMAGES, buildImages, digestOf } from './images.mjs';
import { sign } from './sign.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SUMS = 'SHA256SUMS';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { key: { type: 'string' } } });
const key = values.key ?? process.env.AISH_RELEASE_KEY;
const [given] = positionals;
if (given === undefined) fail('Name a folder for the release: npm run release -- OUT');
const out = resolve(process.env.INIT_CWD ?? '', given);
await mkdir(out, { recursive: true });
if ((await readdir(out)).length > 0) fail(`${out} is not empty`);

const commit = run('git', ['rev-parse', 'HEAD'], ROOT).trim();
if (run('git', ['status', '--porcelain'], ROOT) !== '') say('Changes that are not committed are not in the release');
process.env.SOURCE_DATE_EPOCH = run('git', ['log', '-1', '--format=%ct', commit], ROOT).trim();

const scratch = await mkdtemp(join(tmpdir(), 'aish-release-'));
process.on('exit', () => spawnSync('rm', ['-rf', scratch]));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

const clones = [];
// Names of different lengths, so that a path in a file makes a difference.
for (const name of ['one', 'another']) {
  say(`Making ${commit.slice(0, 12)} in ${join(scratch, name)}`);
  clones.push(await make(join(scratch, name)));
}
const [first, second] = clones;
const difference = await firstDifference(first.made, second.made);
if (difference !== null) fail(`The two releases differ. The first difference: ${difference}`);

for (const name of await readdir(first.made)) await moveFile(join(first.made, name), join(out, name));
await writeFile(join(out, SUMS), await sumsOf(out));
for (const name of IMAGES) say(`${name}  ${await digestOf(join(out, `${name}.tar`))}`);
for (const line of (await readFile(join(out, SUMS), 'utf8')).trim().split('\n')) say(line);
say(`Both are the same: ${(await readdir(out)).length - 1} files of commit ${commit}`);
if (key === undefined) say('Nothing is signed, because there is no key: --key FILE or AISH_RELEASE_KEY');
else {
  const who = signed(resolve(process.env.INIT_CWD ?? '', key));
  say(`Signed by ${who}. Now sign the tag with the same key, because aish upgrade checks it: git tag --sign`);
}

function signed(file) {
  try {
    return sign(join(out, SUMS), file, join(first.clone, 'deploy/release/signers'));
  } catch (error) {
    return fail(error.message);
  }
}

/** Makes all files of a release, except their sums, from a new clone. */
async function make(folder) {
  const clone = join(folder, 'aish');
  const made = join(folder, 'made');
  await mkdir(made, { recursive: true });
  run('git', ['clone', '--quiet', '--no-checkout', ROOT, clone], folder);
  run('git', ['checkout', '--quiet', '--detach', commit], clone);
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], clone);
  run(process.execPath, ['clients/cli/bundle.mjs', join(made, 'aish.mjs')], clone);
  const archive = [
    'archive',
    '--format=tar.gz',
    '--prefix=aish/',
    `--output=${join(made, 'aish-server.tar.gz')}`,
    'HEAD',
  ];
  run('git', ['-c', 'tar.umask=0022', '-c', 'core.autocrlf=false', ...archive], clone);
  await writeFile(join(made, 'sbom.json'), run(process.execPath, ['deploy/sbom/sbom.mjs'], clone));
  const install = await readFile(join(clone, 'deploy/install.sh'));
  await writeFile(join(made, 'install.sh'), install, { mode: 0o755 });
  await buildImages(clone, made, run);
  return { clone, made };
}

async function sumsOf(folder) {
  const lines = [];
  for (const name of (await readdir(folder)).toSorted()) {
    const hash = createHash('sha256');
    await pipeline(createReadStream(join(folder, name)), hash);
    lines.push(`${hash.digest('hex')}  ${name}\n`);
  }
  return lines.join('');
}

async function moveFile(from, to) {
  await rename(from, to).catch(async (error) => {
    if (error.code !== 'EXDEV') throw error;
    run('cp', ['-p', from, to], scratch);
    await rm(from);
  });
}

/** Runs a program and returns its output. */
function run(program, args, cwd, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    ...options,
  });
  if (status !== 0) fail(`${program} ${args.join(' ')} failed:\n${(stdout + stderr).slice(-4_000) || error?.message}`);
  return stdout;
}

function say(text) {
  process.stderr.write(`release: ${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}
