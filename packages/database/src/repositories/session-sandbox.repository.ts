import { RunImage } from '@aish/contracts/images';
import { NetworkPolicy, NetworkDestination } from '@aish/contracts/network';
import type { SessionSandbox } from '@aish/contracts/sandboxes';
import type { Database } from '../client.js';
import { z } from 'zod';
import type { Tx } from '../tx.js';
import { storableJson } from './storable.js';

const Ways = z.array(NetworkDestination);

/** Returns how the commands of a session run; null if the session does not exist. */
export async function findSessionSandbox(tx: Tx, sessionId: string): Promise<SessionSandbox | null> {
  const rows = await tx.$queryRaw<{ sandbox: string | null; carry_over: boolean }[]>`
    select sandbox, carry_over from sessions where id = ${sessionId}::uuid`;
  const row = rows[0];
  return row === undefined ? null : { sandbox: row.sandbox, carryOver: row.carry_over };
}

/** @returns false if the session does not exist. */
export async function setCarryOver(tx: Tx, sessionId: string, carryOver: boolean): Promise<boolean> {
  const changed = await tx.$executeRaw`
    update sessions set carry_over = ${carryOver} where id = ${sessionId}::uuid`;
  return changed === 1;
}

/** Stores which sandbox service holds the workspace of each session, for the client of the sandboxes. */
export function sandboxPlaces({ statements }: Database): {
  find(sessionId: string): Promise<
    | (SessionSandbox & {
        readonly network: NetworkPolicy | null;
        readonly networkMore: readonly NetworkDestination[];
        readonly image: RunImage | null;
      })
    | null
  >;
  networkBegun(sessionId: string): Promise<void>;
  networkWidened(sessionId: string, ways: readonly NetworkDestination[]): Promise<void>;
  place(sessionId: string, sandbox: string): Promise<string>;
  ofRun(runId: string): Promise<string | null>;
} {
  return {
    find: async (sessionId) => {
      const [row] = await statements.$queryRaw<
        { sandbox: string | null; carry_over: boolean; network: unknown; network_more: unknown; run_image: unknown }[]
      >`
        select sandbox, carry_over, network, network_more, run_image from sessions where id = ${sessionId}::uuid`;
      if (row === undefined) return null;
      const network = row.network === null ? null : NetworkPolicy.parse(row.network);
      return {
        sandbox: row.sandbox,
        carryOver: row.carry_over,
        network,
        networkMore: Ways.parse(row.network_more ?? []),
        image: RunImage.nullable().parse(row.run_image),
      };
    },
    networkBegun: async (sessionId) => {
      await statements.$executeRaw`update sessions set network = null where id = ${sessionId}::uuid`;
    },
    networkWidened: async (sessionId, ways) => {
      await statements.$executeRaw`
        update sessions set network_more = null
        where id = ${sessionId}::uuid and network_more = ${storableJson(ways)}::jsonb`;
    },
    place: async (sessionId, sandbox) => {
      // Two processes may place the workspace at once. The row lock orders them, and the second keeps the first one's
      // choice.
      const rows = await statements.$queryRaw<{ sandbox: string }[]>`
        update sessions set sandbox = coalesce(sandbox, ${sandbox}) where id = ${sessionId}::uuid returning sandbox`;
      return rows[0]?.sandbox ?? sandbox;
    },
    ofRun: async (runId) => {
      const rows = await statements.$queryRaw<{ sandbox: string | null }[]>`
        select s.sandbox from actions a join sessions s on s.id = a.session_id where a.id = ${runId}::uuid`;
      return rows[0]?.sandbox ?? null;
    },
  };
}
