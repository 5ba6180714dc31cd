import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './service.process.js';

const run = promisify(execFile);

export interface ComposedRelease {
  readonly version: string;
  /** The name of a table that its migration creates. */
  readonly table?: string;
  /** Whether it fails after it has migrated the database. */
  readonly isBroken?: boolean;
}

/** The images of docker-compose.yml, by the name of their target. */
const TARGETS = {
  api: 'aish-api',
  'norris-worker': 'aish-norris-worker',
  sandbox: 'aish-sandbox-service',
  migrate: 'aish-migrate',
  secrets: 'aish-secrets',
};

/**
 * Makes a git repository with versions of this aish for docker compose, each with its tag. Their images are made from
 * those of this checkout in seconds, and have names of their own.
 */
export async function makeComposedReleases(
  repository: string,
  name: string,
  releases: readonly ComposedRelease[],
): Promise<void> {
  const compose = (await readFile(`${ROOT}docker-compose.yml`, 'utf8'))
    .replaceAll('dockerfile: deploy/Dockerfile', 'dockerfile: Dockerfile')
    .replace(
      'build: { context: services/sandbox/image, args: [DEBIAN_IMAGE] }',
      'build: { context: ., target: commands }',
    )
    .replaceAll(/image: aish-/g, `image: aish-${name}-`)
    .replaceAll(/:-aish-sandbox/g, `:-aish-${name}-sandbox`);
  await commitReleases(repository, releases, (release) => ({
    'docker-compose.yml': compose,
    Dockerfile: dockerfile(release),
  }));
}

/** The same for the one image, which is made from that of this checkout. */
export async function makeContainedReleases(repository: string, releases: readonly ComposedRelease[]): Promise<void> {
  await mkdir(join(repository, 'deploy'), { recursive: true });
  await commitReleases(repository, releases, ({ version, isBroken }) => ({
    'deploy/Dockerfile': [
      'FROM aish AS aish',
      'COPY version.mjs /tmp/version.mjs',
      `RUN node /tmp/version.mjs ${version}`,
      'COPY migrations prisma/migrations',
      ...(isBroken === true ? ['RUN echo "process.exit(1)" > services/sandbox/dist/bundle/main.js'] : []),
    ].join('\n'),
  }));
}

async function commitReleases(
  repository: string,
  releases: readonly ComposedRelease[],
  filesOf: (release: ComposedRelease) => Readonly<Record<string, string>>,
): Promise<void> {
  const git = (...args: readonly string[]) => run('git', ['-C', repository, ...args]);
  await mkdir(join(repository, 'migrations'), { recursive: true });
  await git('init', '--quiet');
  for (const release of releases) {
    const { version, table } = release;
    if (table !== undefined) {
      const folder = join(repository, 'migrations', `2999010100000${version.split('.')[1]}_${table}`);
      await mkdir(folder);
      await writeFile(join(folder, 'migration.sql'), `create table ${table} (n int);`);
    }
    const files = {
      'package.json': JSON.stringify({ name: 'aish', version }),
      'CHANGELOG.md': `# Changes\n\n## ${version}\n`,
      'migrations/note.txt': 'The migrations of this version.\n',
      'version.mjs': VERSION_SCRIPT,
      '.gitignore': '.env\n',
      ...filesOf(release),
    };
    for (const [file, text] of Object.entries(files)) await writeFile(join(repository, file), text);
    await git('add', '.');
    await git('-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '--quiet', '-m', version);
    await git('tag', `v${version}`);
  }
}

function dockerfile({ version, isBroken }: ComposedRelease): string {
  const stages = Object.entries(TARGETS).map(([target, image]) => {
    if (target === 'secrets') return `FROM ${image} AS ${target}`;
    const hasMigrations = target !== 'sandbox';
    return [
      `FROM ${image} AS ${target}`,
      'USER root',
      'COPY version.mjs /tmp/version.mjs',
      `RUN node /tmp/version.mjs ${version}`,
      ...(hasMigrations ? ['COPY migrations prisma/migrations'] : []),
      ...(target === 'sandbox' ? [] : ['USER node']),
    ].join('\n');
  });
  const migrate = 'node packages/database/dist/bundle/migrate.main.js';
  const command = isBroken === true ? `${migrate} && exit 1` : migrate;
  return [
    ...stages,
    `FROM migrate-whole AS migrate\nCMD ["sh", "-c", "${command}"]`,
    'FROM aish-sandbox:compose AS commands',
  ]
    .join('\n\n')
    .replace('FROM aish-migrate AS migrate', 'FROM aish-migrate AS migrate-whole')
    .concat('\n');
}

const VERSION_SCRIPT = `import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
for (const name of readdirSync('.', { recursive: true })) {
  if (!/bundle.*js$/.test(name)) continue;
  const text = readFileSync(name, 'utf8');
  // A bundle may break a long line inside a text.
  const set = text.replace(/\\bVERSION ?= ?(["'])0(?:\\\\\\n)?\\.(?:\\\\\\n)?1(?:\\\\\\n)?\\.(?:\\\\\\n)?0\\1/g, 'VERSION = "' + process.argv[2] + '"');
  if (set !== text) writeFileSync(name, set);
}
`;
