import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectDatabase, type Database } from '@aish/database/client';
import { MIGRATIONS_DIR } from '@aish/database/migrations/folder';
import { migrate } from '@aish/database/migrations/migrate';
import { ApiClient } from '@aish/tests/support/api.client';
import type { ServiceProcess } from '@aish/tests/support/service.process';
import { sized, type Benchmark, type Figures } from './benchmark.js';
import { startLastingDatabase } from './lasting-database.js';
import { startLoneApi } from './lone-api.js';
import { percentile } from './statistics.js';
import { fillYears, yearsOf, type Years } from './years/fill.js';

const EVENTS = sized(2_000_000, 2_000);
const SAMPLES = sized(60, 3);
/** The limit is long, because a single statement writes all events. */
const FILL_MAX_MS = 3_600_000;
/** The first migration of the version after the upgrade. */
const FIRST_NEW = '20261123224800_archive';

/** Measures the pages of an installation that has run for years, compared with a new one. */
export const benchmark: Benchmark = {
  name: 'years',
  about:
    `Rows written directly into the tables, as years of use leave them: --count events (default ${EVENTS}; ` +
    'a goal for each 200, a chat for each 1,000, their turns, steps, actions and decisions). Latency of pages over HTTP, ' +
    'start of the api, backup without workspaces, and the migrations of this version: years_ beside empty_, an ' +
    'installation without anything, in the same run.',
  goals: {
    years_pages_p95_ms: { op: '<=', value: 100 },
    start_to_empty_ratio: { op: '<=', value: 2 },
  },
  async run(progress, { count = EVENTS } = {}) {
    const years = yearsOf(count);
    progress(`${years.goals} goals, ${years.chats} chats, ${count} events`);
    const empty = await measure('empty', yearsOf(0), progress);
    const full = await measure('years', years, progress);
    const ratio = (full['years_start_ms'] ?? NaN) / (empty['empty_start_ms'] ?? NaN);
    return { ...empty, ...full, start_to_empty_ratio: ratio };
  },
};

async function measure(name: string, years: Years, progress: (line: string) => void): Promise<Figures> {
  const dir = await mkdtemp(join(tmpdir(), 'aish-bench-years-'));
  const before = join(dir, 'migrations');
  await cp(MIGRATIONS_DIR, before, { recursive: true });
  for (const each of await readdir(before))
    if (each >= FIRST_NEW && /^\d/.test(each)) await rm(join(before, each), { recursive: true });
  const database = await startLastingDatabase({ migrationsDir: before });
  const db = connectDatabase(database.url, { statementTimeoutMs: FILL_MAX_MS });
  try {
    progress(`${name}: rows`);
    await fillYears(db, years);
    const migrated = await timed(() => migrate(database.url));
    progress(`${name}: migrated in ${Math.round(migrated)} ms; pages`);
    const size = await databaseMb(db);
    const starts = [];
    for (let n = 0; n < 3; n += 1) {
      let api: ServiceProcess | undefined;
      starts.push(await timed(async () => ({ api } = await startLoneApi(database.url, dir))));
      await api?.kill('SIGTERM');
    }
    const { api, client } = await startLoneApi(database.url, dir);
    try {
      const pages = await measurePages(name, client, years, progress);
      progress(`${name}: backup`);
      const backup = await timed(() => drain(client));
      return {
        [`${name}_migration_ms`]: migrated,
        [`${name}_database_mb`]: size,
        [`${name}_start_ms`]: percentile(starts, 0.5),
        ...pages,
        [`${name}_backup_ms`]: backup,
      };
    } finally {
      await api.kill('SIGTERM');
    }
  } finally {
    await db.close();
    await database.drop();
    await rm(dir, { recursive: true, force: true });
  }
}

async function measurePages(
  name: string,
  client: ApiClient,
  years: Years,
  progress: (line: string) => void,
): Promise<Figures> {
  const goal = (n: number): number => Math.max(1, (n * 7_919) % Math.max(1, years.goals));
  const chat = (n: number): number => years.goals + Math.max(1, (n * 7_919) % Math.max(1, years.chats));
  const pages: Readonly<Record<string, (n: number) => string>> = {
    goals: () => '/v1/goals',
    goals_done: () => '/v1/goals?state=done',
    goals_rare_state: () => '/v1/goals?state=halted',
    goals_page: (n) => `/v1/goals?before=${goal(n) + 1}`,
    sessions: () => '/v1/sessions',
    chats: () => '/v1/sessions?kind=chat',
    archived: () => '/v1/goals?archived=true',
    decisions: () => '/v1/decisions?state=pending&limit=500',
    decisions_all: () => '/v1/decisions?limit=100',
    search_rare: (n) => `/v1/sessions?q=rare${(n * 31) % 1_000}`,
    search_common: (n) => `/v1/sessions?q=word${n % 50}`,
    audit: () => '/v1/audit',
    ...(years.goals === 0 ? {} : { show: (n: number) => `/v1/goals/${goal(n)}` }),
    ...(years.chats === 0 ? {} : { turns: (n: number) => `/v1/sessions/${chat(n)}/turns` }),
  };
  const figures: Record<string, number> = {};
  let worst = 0;
  for (const [page, path] of Object.entries(pages)) {
    const times = [];
    for (let n = -3; n < SAMPLES; n += 1) {
      const took = await timed(() => read(client, path(Math.max(0, n))));
      if (n >= 0) times.push(took);
    }
    figures[`${name}_${page}_p50_ms`] = percentile(times, 0.5);
    const p95 = (figures[`${name}_${page}_p95_ms`] = percentile(times, 0.95));
    progress(`  ${page} ${p95.toFixed(1)} ms`);
    worst = Math.max(worst, p95);
  }
  return { ...figures, [`${name}_pages_p95_ms`]: worst };
}

async function read(client: ApiClient, path: string): Promise<void> {
  const response = await client.request('GET', path);
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
}

/** Reads the whole backup and discards it. */
async function drain({ url, token }: ApiClient): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/v1/backup`, { headers });
  if (!response.ok || response.body === null) throw new Error(`backup: ${response.status} ${await response.text()}`);
  for await (const _ of response.body);
}

async function databaseMb(db: Database): Promise<number> {
  const { rows } = await db.pool.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
  return Number(rows[0]?.bytes) / 1024 ** 2;
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await act();
  return performance.now() - before;
}
