import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connectDatabase, type Database } from '@aish/database/client';
import { createTestDatabase } from '@aish/database/testing';
import { KnowledgeBase, KnowledgeIndex } from '@aish/knowledge';
import { generatedNode, makeGeneratedBase } from '@aish/knowledge/testing';
import { sized, type Benchmark, type Figures } from './benchmark.js';
import { now, percentile } from './statistics.js';

const SMALL = 1_000;
const LARGE = sized(100_000, 2_000);
const QUERIES = sized(400, 40);
const WRITES = sized(60, 4);
const SYNCS = sized(20, 2);
const GIT_COMMITS = sized(20, 2);
const run = promisify(execFile);
const ME = { name: 'bench', scope: null };

/** Measures queries and writes in a knowledge base of 100,000 nodes, compared with one of 1,000. */
export const benchmark: Benchmark = {
  name: 'knowledge',
  about:
    `${LARGE} generated nodes beside ${SMALL}. query: words, titles, ids and common words against Postgres, the look at ` +
    'git included. remember: lock, fetch from a bare repository on the same disk, lint, commit, files, index, in both bases in turn. sync: after ' +
    'one write; rebuild: the whole index from git. Beside it a file added and committed with git alone, which fetches and lints nothing.',
  goals: {
    query_p95_ms: { op: '<=', value: 30 },
    remember_p50_ms: { op: '<=', value: 100 },
    remember_large_to_small_ratio: { op: '<=', value: 2 },
    // The growth comes from git itself. It may not be larger than when a person commits one file with git.
    remember_growth_to_git_growth_ratio: { op: '<=', value: 1 },
    rebuild_s: { op: '<=', value: 300 },
    sync_p95_ms: { op: '<=', value: 1_000 },
  },
  async run(progress) {
    const dir = await mkdtemp(join(tmpdir(), 'aish-bench-knowledge-'));
    const database = await createTestDatabase();
    const db = connectDatabase(database.url, { statementTimeoutMs: 600_000 });
    try {
      const small = await queriesIn(dir, SMALL, db, progress);
      // This base is indexed last, because the index in the database belongs to one base.
      const large = await queriesIn(dir, LARGE, db, progress);
      progress('writing');
      const written = await writesInTurn(small, large);
      for (const { base } of [small, large]) base.close();
      const [smallGit, largeGit] = [await gitCommitsIn(small, progress), await gitCommitsIn(large, progress)];
      return {
        query_p50_ms: percentile(large.queries, 0.5),
        query_p95_ms: percentile(large.queries, 0.95),
        small_query_p50_ms: percentile(small.queries, 0.5),
        remember_p50_ms: percentile(written.large, 0.5),
        remember_p95_ms: percentile(written.large, 0.95),
        small_remember_p50_ms: percentile(written.small, 0.5),
        remember_large_to_small_ratio: percentile(written.large, 0.5) / percentile(written.small, 0.5),
        git_commit_p50_ms: percentile(largeGit, 0.5),
        small_git_commit_p50_ms: percentile(smallGit, 0.5),
        remember_growth_to_git_growth_ratio:
          (percentile(written.large, 0.5) - percentile(written.small, 0.5)) /
          (percentile(largeGit, 0.5) - percentile(smallGit, 0.5)),
        sync_p95_ms: percentile(written.syncs, 0.95),
        rebuild_s: large.rebuildMs / 1_000,
        first_write_s: written.firstMs / 1_000,
      } satisfies Figures;
    } finally {
      await db.close();
      await database.drop();
      await rm(dir, { recursive: true, force: true });
    }
  },
};

interface Measured {
  readonly base: KnowledgeBase;
  readonly index: KnowledgeIndex;
  readonly remote: string;
  /** A clone in which only git commits. */
  readonly clone: string;
  readonly env: Readonly<Record<string, string>>;
  readonly queries: readonly number[];
  readonly rebuildMs: number;
}

async function queriesIn(
  dir: string,
  count: number,
  db: Database,
  progress: (line: string) => void,
): Promise<Measured> {
  const remote = join(dir, `${count}.git`);
  await run('git', ['init', '--quiet', '--bare', '--initial-branch=main', remote]);
  // The environment of the test must not influence git, which needs only PATH.
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: dir };
  const base = new KnowledgeBase({ dir: join(dir, String(count)), remote, env, isWatching: true });
  await base.init();
  progress(`making ${count} nodes`);
  await makeGeneratedBase(base, count);
  await base.push({ again: true });
  await base.init();
  const index = new KnowledgeIndex(db, base);
  progress('rebuilding the index');
  const rebuildMs = await timed(() => index.sync({ full: true }));
  progress(`rebuilt in ${Math.round(rebuildMs / 1_000)} s`);
  const queries: number[] = [];
  for (let n = 0; n < QUERIES; n += 1) {
    const query = { text: questionOf(n, count), limit: 10, offset: 0 };
    queries.push(await timed(() => index.query(query, n % 4 === 0 ? ['homelab'] : null)));
  }
  return { base, index, remote, clone: join(dir, `${count}-git`), env, queries, rebuildMs };
}

interface Written {
  readonly small: readonly number[];
  readonly large: readonly number[];
  /** The times for the large base, each after three writes. */
  readonly syncs: readonly number[];
  /** The time of the first write, which reads the whole tree once. */
  readonly firstMs: number;
}

/** Alternates between the two bases, so that other load on the machine affects both. */
async function writesInTurn(small: Measured, large: Measured): Promise<Written> {
  const written = { small: [] as number[], large: [] as number[], syncs: [] as number[] };
  await small.base.remember(nodeOf(-1), ME);
  const firstMs = await timed(() => large.base.remember(nodeOf(-1), ME));
  for (let n = 0; n < WRITES; n += 1) {
    const smallFirst = n % 2 === 0;
    if (smallFirst) written.small.push(await timed(() => small.base.remember(nodeOf(n), ME)));
    written.large.push(await timed(() => large.base.remember(nodeOf(n), ME)));
    if (!smallFirst) written.small.push(await timed(() => small.base.remember(nodeOf(n), ME)));
    if (n % Math.floor(WRITES / SYNCS) === 0) written.syncs.push(await timed(() => large.index.sync({ full: false })));
  }
  return { ...written, firstMs };
}

/** Measures commits of one new file with git alone, `git add` and `git commit`, in a fresh clone. */
async function gitCommitsIn(
  { remote, clone, env }: Measured,
  progress: (line: string) => void,
): Promise<readonly number[]> {
  progress('committing with git alone');
  const me = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost'];
  await run('git', ['clone', '--quiet', remote, clone], { env });
  const commits: number[] = [];
  for (let n = 0; n < GIT_COMMITS; n += 1) {
    const name = `note-${n}.org`;
    const commit = async () => {
      await writeFile(join(clone, name), `A note ${n}.\n`);
      await run('git', ['add', '--', name], { cwd: clone, env });
      await run('git', [...me, 'commit', '--quiet', '-m', name], { cwd: clone, env });
    };
    commits.push(await timed(commit));
  }
  return commits;
}

function nodeOf(n: number) {
  return {
    title: `Measured ${n} ${randomUUID().slice(0, 8)}`,
    summary: 'A node of the benchmark.',
    body: 'Some words about disks.\n',
  };
}

/** Returns varied questions: two words, a title, the first digits of an ID, one common word, a sentence, or nothing. */
function questionOf(n: number, count: number): string {
  const { title, id } = generatedNode((n * 7_919) % count);
  const words = title.toLowerCase().split(' ');
  switch (n % 6) {
    case 0:
      return `${words[0]} ${words[2]}`;
    case 1:
      return title;
    case 2:
      return id.slice(0, 8);
    case 3:
      return words[1] ?? 'backup';
    case 4:
      return `how do i ${words[0]} the ${words[3]} ${words[1]}`;
    default:
      return '';
  }
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const started = now();
  await act();
  return now() - started;
}
