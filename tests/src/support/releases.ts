import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './service.process.js';

const run = promisify(execFile);

export interface TestRelease {
  readonly version: string;
  readonly change: string;
  /** The name of a table that its migration creates. */
  readonly table: string;
  /** Whether its sandbox service ends at each start. */
  readonly isBroken?: boolean;
  /** The file with the private key that signs its commit. */
  readonly key?: string;
  /** The signers that this version knows. */
  readonly signers?: string;
}

/**
 * Makes a git repository with later versions of this aish, each with its tag. They have the programs that are built
 * here, because a complete build takes minutes.
 */
export async function makeReleases(repository: string, releases: readonly TestRelease[]): Promise<void> {
  const git = (...args: readonly string[]) => run('git', ['-C', repository, ...args]);
  await mkdir(repository);
  await git('init', '--quiet');
  let changelog = '';
  for (const [n, release] of releases.entries()) {
    const { version, change } = release;
    changelog = `## ${version}\n\n- ${change}\n\n${changelog}`;
    const manifest = { name: 'aish', version, private: true, scripts: { build: 'node build.mjs' } };
    const lock = { name: 'aish', version, lockfileVersion: 3, packages: { '': { name: 'aish', version } } };
    const files = {
      'package.json': JSON.stringify(manifest),
      'package-lock.json': JSON.stringify(lock),
      'CHANGELOG.md': `# Changes\n\n${changelog}`,
      'build.mjs': buildScript(releases.slice(0, n + 1)),
      'deploy/release/signers': release.signers ?? '',
    };
    await mkdir(join(repository, 'deploy/release'), { recursive: true });
    for (const [name, text] of Object.entries(files)) await writeFile(join(repository, name), text);
    await git('add', '.');
    const sign = release.key === undefined ? [] : ['-c', 'gpg.format=ssh', '-c', `user.signingKey=${release.key}`];
    const commit = ['commit', '--quiet', '-m', version, ...(release.key === undefined ? [] : ['--gpg-sign'])];
    await git('-c', 'user.name=t', '-c', 'user.email=t@t', ...sign, ...commit);
    await git('tag', `v${version}`);
  }
}

/** Returns the build script of the last release. It has the migrations of all of them. */
function buildScript(releases: readonly TestRelease[]): string {
  const last = releases.at(-1);
  return `
import { cpSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
const root = ${JSON.stringify(ROOT)};
const isNeeded = (path) => !/^(packages|services|clients|deploy)[/][^/]+[/]src$/.test(path.slice(root.length)) && !/[.](map|d[.]ts)$/.test(path);
const copy = (name) => cpSync(root + name, name, { recursive: true, verbatimSymlinks: true, filter: isNeeded });
for (const name of ['packages', 'services', 'prisma', 'deploy/launcher', 'clients/cli', 'clients/web/dist', 'node_modules/@aish']) copy(name);
for (const name of readdirSync(root + 'node_modules')) {
  if (name !== '@aish' && !name.startsWith('.')) symlinkSync(root + 'node_modules/' + name, 'node_modules/' + name);
}
const bundles = ['api-with-worker', 'sandbox'].map((name) => 'services/' + name + '/dist/bundle');
const folders = [...bundles, 'clients/cli/bundle/lib', 'packages/contracts/dist'];
const files = folders.flatMap((folder) => readdirSync(folder).filter((name) => /js$/.test(name)).map((name) => folder + '/' + name));
for (const file of files) {
  const text = readFileSync(file, 'utf8');
  // A bundle may break a long line inside a text.
  const set = text.replace(/\\bVERSION ?= ?(["'])0(?:\\\\\\n)?\\.(?:\\\\\\n)?1(?:\\\\\\n)?\\.(?:\\\\\\n)?0\\1/g, 'VERSION = "${last?.version}"');
  if (set !== text) writeFileSync(file, set);
}
for (const [n, table] of ${JSON.stringify(releases.map(({ table }) => table))}.entries()) {
  const folder = 'prisma/migrations/2999010100000' + n + '_' + table;
  mkdirSync(folder);
  writeFileSync(folder + '/migration.sql', 'create table ' + table + ' (n int);');
}
${last?.isBroken === true ? `writeFileSync('services/sandbox/dist/bundle/main.js', 'process.exit(1);');` : ''}
`;
}
