import { randomUUID } from 'node:crypto';
import type { Tx } from '../tx.js';
import { storable } from './storable.js';

/** What a person refused in a session. */
export interface SessionRefusal {
  readonly step: number | null;
  /** The command that was refused, or whose changes were. */
  readonly action: string;
  /** What the person said to it. */
  readonly words: string | null;
  /** Absolute, or below the workspace; names in them may be globs. */
  readonly paths: readonly string[];
  /** Of these, what a person let go by since. */
  readonly lifted: readonly string[];
}

/** The most that a session keeps: the newest count. */
const KEPT_MAX = 100;

export async function insertRefusal(
  tx: Tx,
  sessionId: string,
  { step, action, words, paths }: Omit<SessionRefusal, 'lifted'>,
): Promise<void> {
  await tx.$executeRaw`
    insert into refusals (id, session_id, step, action, words, paths)
    values (${randomUUID()}::uuid, ${sessionId}::uuid, ${step}::int, ${storable(action)},
            ${words === null ? null : storable(words)}, ${paths.map(storable)}::text[])`;
}

/** The newest refusals of a session, oldest first. */
export async function listRefusals(tx: Tx, sessionId: string): Promise<readonly SessionRefusal[]> {
  const rows = await tx.$queryRaw<SessionRefusal[]>`
    select step, action, words, paths, lifted from refusals
    where session_id = ${sessionId}::uuid order by created_at desc, id limit ${KEPT_MAX}::int`;
  return rows.toReversed();
}

/** A person lets changes of these paths go by from now on. */
export async function liftRefusals(tx: Tx, sessionId: string, paths: readonly string[]): Promise<void> {
  await tx.$executeRaw`
    update refusals set lifted = array(select distinct unnest(lifted || ${paths.map(storable)}::text[]) order by 1)
    where session_id = ${sessionId}::uuid`;
}

/** What was refused in one session holds in the one that follows it. */
export async function copyRefusals(tx: Tx, fromSessionId: string, toSessionId: string): Promise<void> {
  await tx.$executeRaw`
    insert into refusals (id, session_id, step, action, words, paths, lifted, created_at)
    select gen_random_uuid(), ${toSessionId}::uuid, null, action, words, paths, lifted, created_at from refusals
    where session_id = ${fromSessionId}::uuid`;
}
