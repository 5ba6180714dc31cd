import { randomUUID } from 'node:crypto';
import type { Tx } from '../tx.js';
import { storable } from './storable.js';

/** One refusal of a person in a session. */
export interface SessionRefusal {
  readonly step: number | null;
  /** The command that was refused, or whose changes were refused. */
  readonly action: string;
  /** The person's words about it; null if there are none. */
  readonly words: string | null;
  /** Absolute paths, or paths relative to the workspace. Names may be globs. */
  readonly paths: readonly string[];
  /** Paths among these that a person has allowed since. */
  readonly lifted: readonly string[];
}

/** Maximum number of refusals per session that count. Older ones are ignored. */
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

/** Lists the newest refusals of a session, oldest first. */
export async function listRefusals(tx: Tx, sessionId: string): Promise<readonly SessionRefusal[]> {
  const rows = await tx.$queryRaw<SessionRefusal[]>`
    select step, action, words, paths, lifted from refusals
    where session_id = ${sessionId}::uuid order by created_at desc, id limit ${KEPT_MAX}::int`;
  return rows.toReversed();
}

/** Lifts refusals: changes to these paths are allowed from now on. */
export async function liftRefusals(tx: Tx, sessionId: string, paths: readonly string[]): Promise<void> {
  await tx.$executeRaw`
    update refusals set lifted = array(select distinct unnest(lifted || ${paths.map(storable)}::text[]) order by 1)
    where session_id = ${sessionId}::uuid`;
}

/** Copies the refusals of one session to the session that follows it. */
export async function copyRefusals(tx: Tx, fromSessionId: string, toSessionId: string): Promise<void> {
  await tx.$executeRaw`
    insert into refusals (id, session_id, step, action, words, paths, lifted, created_at)
    select gen_random_uuid(), ${toSessionId}::uuid, null, action, words, paths, lifted, created_at from refusals
    where session_id = ${fromSessionId}::uuid`;
}
