import { z } from 'zod';

/** A version of aish. `at` is its folder for `npm start`, and its commit for compose. */
const Release = z.object({ at: z.string().min(1), version: z.string().min(1) });
export type Release = z.infer<typeof Release>;

/** The record of an upgrade, in one file. If a process is killed, the next one continues from it. */
export const UpgradeJournal = z.object({
  /**
   * The last completed step. `wanted`: the release is ready, a backup exists, and a person has agreed. `kept`: a copy of
   * the database exists. `failed`: the new version does not work. `done`, `undone`: the new or the old version runs.
   */
  step: z.enum(['wanted', 'kept', 'failed', 'done', 'undone']),
  from: Release.nullable(),
  to: Release,
  /** The path of the backup file. */
  backup: z.string(),
  /** The time of the copy, as Postgres writes it. */
  keptAt: z.string().nullable(),
  why: z.string().nullable(),
  /** The data that arrived after the copy and is not in the restored database. */
  came: z.array(z.string()),
});
export type UpgradeJournal = z.infer<typeof UpgradeJournal>;

/** Runs a statement in a database. Returns the first column of each row. */
export type Sql = (database: string, statement: string) => Promise<readonly string[]>;

/** How an installation of aish carries out the steps of an upgrade. */
export interface UpgradePlace {
  /** The version that runs until the upgrade. */
  readonly old: Release;
  /** Runs `work` while no service of aish runs. */
  withDatabaseAlone<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Starts the new version, which migrates the database. Returns null if it works, or else the reason. */
  tryNew(to: Release): Promise<string | null>;
  /** Makes aish start this version from now on. */
  choose(release: Release): Promise<void>;
  save(journal: UpgradeJournal): Promise<void>;
  say(line: string): void;
}

const LIVE = 'aish';
/** The copy of the database. It becomes the database again if the new version does not work. */
const BEFORE = 'aish_before_upgrade';
/** The database of a failed upgrade. It remains until the next upgrade. */
export const FAILED_DATABASE = 'aish_failed_upgrade';

export function wantedUpgrade(to: Release, backup: string): UpgradeJournal {
  return { step: 'wanted', from: null, to, backup, keptAt: null, why: null, came: [] };
}

export function isOver({ step }: UpgradeJournal): boolean {
  return step === 'done' || step === 'undone';
}

/**
 * Continues an upgrade after its last completed step, until it is over. Each step can run again after a kill.
 * @throws if a step cannot run now; the journal then remains as it is
 */
export async function runUpgrade(journal: UpgradeJournal, place: UpgradePlace): Promise<UpgradeJournal> {
  let now = journal;
  while (!isOver(now)) {
    now = await nextStep(now, place);
    await place.save(now);
  }
  return now;
}

function nextStep(now: UpgradeJournal, place: UpgradePlace): Promise<UpgradeJournal> {
  switch (now.step) {
    case 'wanted':
      return keep(now, place);
    case 'kept':
      return tryNew(now, place);
    case 'failed':
      return restore(now, place);
    case 'done':
    case 'undone':
      return Promise.resolve(now);
  }
}

async function keep(now: UpgradeJournal, place: UpgradePlace): Promise<UpgradeJournal> {
  place.say('upgrade: copying the database');
  const from = now.from ?? place.old;
  return place.withDatabaseAlone(async (sql) => {
    try {
      for (const each of [BEFORE, FAILED_DATABASE])
        await sql('postgres', `drop database if exists ${each} with (force)`);
      await disconnect(sql);
      // Postgres lists a copy only when it is complete, so a kill leaves none.
      await sql('postgres', `create database ${BEFORE} template ${LIVE} strategy file_copy`);
      const [keptAt = null] = await sql('postgres', 'select now()::text');
      return { ...now, step: 'kept', from, keptAt };
    } catch (error) {
      // A person who stops the upgrade here can continue it.
      if (error instanceof Error && error.name === 'AbortError') throw error;
      return { ...now, step: 'undone', from, why: `the database cannot be copied: ${messageOf(error)}` };
    }
  });
}

async function tryNew(now: UpgradeJournal, place: UpgradePlace): Promise<UpgradeJournal> {
  place.say(`upgrade: starting ${now.to.version}`);
  const why = await place.tryNew(now.to);
  if (why !== null) return { ...now, step: 'failed', why };
  await place.choose(now.to);
  return { ...now, step: 'done' };
}

async function restore(now: UpgradeJournal, place: UpgradePlace): Promise<UpgradeJournal> {
  const from = now.from ?? place.old;
  place.say(`upgrade: ${now.to.version} does not work (${now.why}). Going back to ${from.version}`);
  const came = await place.withDatabaseAlone(async (sql) => {
    const [isKept] = await sql('postgres', `select 1 from pg_database where datname = '${BEFORE}'`);
    if (isKept !== undefined) {
      await sql('postgres', `drop database if exists ${FAILED_DATABASE} with (force)`);
      await disconnect(sql);
      // One transaction, so that a kill leaves either both old names or both new ones.
      await sql(
        'postgres',
        `begin; alter database ${LIVE} rename to ${FAILED_DATABASE}; alter database ${BEFORE} rename to ${LIVE}; commit`,
      );
    }
    return sql(FAILED_DATABASE, cameSince(now.keptAt ?? 'infinity')).catch((error: unknown) => [
      `what came in cannot be listed: ${messageOf(error)}`,
    ]);
  });
  await place.choose(from);
  return { ...now, step: 'undone', came: [...came] };
}

/** Removes the copy of the database after a successful upgrade. */
export async function removeCopy(sql: Sql): Promise<void> {
  await sql('postgres', `drop database if exists ${BEFORE} with (force)`);
}

/** Ends all connections, because Postgres copies and renames only databases that nobody uses. */
async function disconnect(sql: Sql): Promise<void> {
  await sql(
    'postgres',
    `select pg_terminate_backend(pid) from pg_stat_activity where datname in ('${LIVE}', '${BEFORE}')`,
  );
}

function cameSince(at: string): string {
  const since = `timestamptz '${at.replaceAll("'", '')}'`;
  const short = (column: string): string => `left(regexp_replace(${column}, '\\s+', ' ', 'g'), 200)`;
  return `select line from (
    select created_at as at, 'goal g' || number || ': ' || ${short('text')} as line from goals where created_at > ${since}
    union all
    select created_at, 'chat c' || number || ': ' || ${short('title')} from sessions
      where kind = 'chat' and created_at > ${since}
    union all
    select t.created_at, 'message to ' || s.kind || ' “' || ${short('s.title')} || '”: ' || ${short('t.content')}
      from turns t join sessions s on s.id = t.session_id
      where t.provenance = 'person' and t.role = 'user' and t.created_at > ${since} and s.created_at <= ${since}
    union all
    select decided_at, 'verdict on d' || number || ': ' || coalesce(verdict, 'answered') from decisions where decided_at > ${since}
    union all
    select received_at, 'incoming event of ' || source from received_events where received_at > ${since}
  ) came order by at`;
}

/** Returns a negative number if `a` is the older version, and 0 if both are the same. */
export function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
