import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connectDatabase, type Database } from '@aish/database';
import { createTestDatabase } from '@aish/database/testing';
import { KnowledgeBase, KnowledgeIndex } from '@aish/knowledge';
import { generatedNode, makeGeneratedBase } from '@aish/knowledge/testing';
import type { Benchmark, Figures } from './benchmark.js';
import { now, percentile } from './statistics.js';

const SMALL = 1_000;
const LARGE = 100_000;
const QUERIES = 400;
const WRITES = 60;
const SYNCS = 20;
const GIT_COMMITS = 20;
const run = promisify(execFile);
const ME = { name: 'bench', scope: null };

/** Finding and writing in a base of 100 000 nodes, beside one of 1 000: neither may be felt to be larger. */
export const benchmark: Benchmark = {
  name: 'knowledge',
  about:
    `${LARGE} generated nodes beside ${SMALL}. query: words, titles, ids and common words against Postgres, the look at ` +
    'git included. remember: lock, fetch from a bare repository on the same disk, lint, commit, files, index. sync: after ' +
    'one write; rebuild: the whole index from git. Beside it a file added and committed with git alone, which fetches and lints nothing.',
  goals: {
    query_p95_ms: { op: '<=', value: 30 },
    remember_p50_ms: { op: '<=', value: 300 },
    remember_large_to_small_ratio: { op: '<=', value: 1.5 },
    // What grows is git's own work: no more of it may be felt than when a person commits one file with it.
    remember_growth_to_git_growth_ratio: { op: '<=', value: 1 },
    rebuild_s: { op: '<=', value: 300 },
    sync_p95_ms: { op: '<=', value: 1_000 },
  },
  async run(progress) {
    const dir = await mkdtemp(join(tmpdir(), 'aish-bench-knowledge-'));
    const database = await createTestDatabase();
    const db = connectDatabase(database.url, { statementTimeoutMs: 600_000 });
    try {
      const small = await writesIn(dir, SMALL, db, progress);
      const large = await writesIn(dir, LARGE, db, progress);
      return {
        query_p50_ms: percentile(large.queries, 0.5),
        query_p95_ms: percentile(large.queries, 0.95),
        small_query_p50_ms: percentile(small.queries, 0.5),
        remember_p50_ms: percentile(large.writes, 0.5),
        remember_p95_ms: percentile(large.writes, 0.95),
        small_remember_p50_ms: percentile(small.writes, 0.5),
        remember_large_to_small_ratio: percentile(large.writes, 0.5) / percentile(small.writes, 0.5),
        git_commit_p50_ms: percentile(large.gitCommits, 0.5),
        small_git_commit_p50_ms: percentile(small.gitCommits, 0.5),
        remember_growth_to_git_growth_ratio:
          (percentile(large.writes, 0.5) - percentile(small.writes, 0.5)) /
          (percentile(large.gitCommits, 0.5) - percentile(small.gitCommits, 0.5)),
        sync_p95_ms: percentile(large.syncs, 0.95),
        rebuild_s: large.rebuildMs / 1_000,
        first_write_s: large.firstMs / 1_000,
      } satisfies Figures;
    } finally {
      await db.close();
      await database.drop();
      await rm(dir, { recursive: true, force: true });
    }
  },
};

interface Measured {
  readonly queries: readonly number[];
  readonly writes: readonly number[];
  readonly syncs: readonly number[];
  /** One new file with git alone, `git add` and `git commit`, in a fresh clone. */
  readonly gitCommits: readonly number[];
  readonly rebuildMs: number;
  /** The first write looks at the whole tree once. */
  readonly firstMs: number;
}

async function writesIn(dir: string, count: number, db: Database, progress: (line: string) => void): Promise<Measured> {
  const remote = join(dir, `${count}.git`);
  await run('git', ['init', '--quiet', '--bare', '--initial-branch=main', remote]);
  // What git takes from its surroundings must not matter; PATH is all that it needs.
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
  progress('writing');
  const firstMs = await timed(() => base.remember(nodeOf(-1), ME));
  const writes: number[] = [];
  const syncs: number[] = [];
  for (let n = 0; n < WRITES; n += 1) {
    writes.push(await timed(() => base.remember(nodeOf(n), ME)));
    if (n % Math.floor(WRITES / SYNCS) === 0) syncs.push(await timed(() => index.sync({ full: false })));
  }
  await writeFile(join(dir, 'done'), '');
  base.close();
  const gitCommits = await commitsOfGit(remote, join(dir, `${count}-git`), env, progress);
  return { queries, writes, syncs, gitCommits, rebuildMs, firstMs };
}

async function commitsOfGit(
  remote: string,
  clone: string,
  env: Readonly<Record<string, string>>,
  progress: (line: string) => void,
): Promise<number[]> {
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

/** What is asked: two words, a title, the first digits of an id, one common word, a question, nothing. */
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
