import type { NetworkDestination } from '@aish/contracts/network';
import type { Tx } from '../tx.js';
import { storableJson } from './storable.js';

// These functions give a session's commands access in addition to their existing access.

/** Adds one destination. The sandbox gets it with the next command. */
export async function addSessionWay(tx: Tx, sessionId: string, way: NetworkDestination): Promise<void> {
  await tx.$executeRaw`
    update sessions set network_more = coalesce(network_more, '[]'::jsonb) || ${storableJson([way])}::jsonb
    where id = ${sessionId}::uuid`;
}

export async function addSessionSecret(tx: Tx, sessionId: string, name: string): Promise<void> {
  await tx.$executeRaw`
    insert into session_secrets (session_id, name) values (${sessionId}::uuid, ${name}) on conflict do nothing`;
}

/** @param goalId null for the session of a chat. The caller has locked the chat, or the goal. */
export async function addHostTo(
  tx: Tx,
  { goalId, sessionId }: { readonly goalId: string | null; readonly sessionId: string },
  name: string,
): Promise<void> {
  if (goalId === null) {
    await tx.$executeRaw`
      update chats set hosts = array_append(hosts, ${name})
      where session_id = ${sessionId}::uuid and not ${name} = any(hosts)`;
    return;
  }
  await tx.$executeRaw`
    update goals set hosts = array_append(hosts, ${name}) where id = ${goalId}::uuid and not ${name} = any(hosts)`;
}

/** Makes the session's commands use the newest build of an image from now on, with unchanged limits. */
export async function setSessionImage(tx: Tx, sessionId: string, image: string): Promise<void> {
  await tx.$executeRaw`
    update sessions set run_image = jsonb_build_object(
      'build', (select built from images where name = ${image}), 'limits', coalesce(run_image -> 'limits', '{}'::jsonb))
    where id = ${sessionId}::uuid`;
}
