import { HostLogin, HostVerdict, RevertState, type HostCommand, type SetPrelude } from '@aish/contracts/hosts';
import type { HostRow as Stored, HostCommandRow as Command } from '../generated/rows.js';
import type { Tx } from '../tx.js';
import { storable } from './storable.js';

export interface HostRow {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly user: string;
  readonly login: HostLogin;
  /** The pinned keys. If there are none, the host is not trusted yet. */
  readonly keys: readonly string[];
  /** The encrypted stored key of a host that does not support certificates. */
  readonly sealed: string | null;
  readonly prelude: string | null;
  readonly rollback: string | null;
  readonly createdBy: string;
  readonly createdAt: Date;
}

function toHost({ login, created_by: createdBy, created_at: createdAt, ...row }: Stored): HostRow {
  return { ...row, login: HostLogin.parse(login), createdBy, createdAt };
}

export async function listHosts(tx: Tx): Promise<HostRow[]> {
  return (await tx.$queryRaw<Stored[]>`select * from hosts order by name`).map(toHost);
}

export async function findHost(tx: Tx, name: string): Promise<HostRow | null> {
  const rows = await tx.$queryRaw<Stored[]>`select * from hosts where name = ${name}`;
  return rows[0] === undefined ? null : toHost(rows[0]);
}

/** @returns false if the name exists. */
export async function insertHost(
  tx: Tx,
  row: Omit<HostRow, 'createdAt' | 'keys' | 'prelude' | 'rollback'>,
): Promise<boolean> {
  const made = await tx.$executeRaw`
    insert into hosts (name, address, port, "user", login, sealed, created_by)
    values (${row.name}, ${row.address}, ${row.port}::int, ${row.user}, ${row.login}, ${row.sealed}, ${row.createdBy})
    on conflict (name) do nothing`;
  return made === 1;
}

/** Changes where a host is, and how aish signs in. Keys, prelude and record stay. */
export async function moveHost(
  tx: Tx,
  row: Pick<HostRow, 'name' | 'address' | 'port' | 'user' | 'login' | 'sealed'>,
): Promise<void> {
  await tx.$executeRaw`
    update hosts set address = ${row.address}, port = ${row.port}::int, "user" = ${row.user}, login = ${row.login},
      sealed = ${row.sealed} where name = ${row.name}`;
}

/** @returns false if the host does not exist. */
export async function setHostKeys(tx: Tx, name: string, keys: readonly string[]): Promise<boolean> {
  return (await tx.$executeRaw`update hosts set keys = ${[...keys]}::text[] where name = ${name}`) === 1;
}

export async function setHostPrelude(tx: Tx, name: string, { prelude, rollback }: SetPrelude): Promise<void> {
  await tx.$executeRaw`
    update hosts set prelude = ${prelude === null ? null : storable(prelude)},
      rollback = ${rollback === null ? null : storable(rollback)} where name = ${name}`;
}

/** Whether the prelude of a host has run for an action. */
export async function hasPrelude(tx: Tx, actionId: string, host: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    select 1 from host_commands where action_id = ${actionId}::uuid and host = ${host} and verdict = 'prelude'
      and exit_code = 0 limit 1`;
  return rows.length > 0;
}

/**
 * Lists the commands that an action ran on hosts with a person's approval, oldest first, each with its rollback command
 * if there is one.
 */
export async function listApproved(
  tx: Tx,
  actionId: string,
): Promise<{ readonly host: string; readonly command: string; readonly rollback: string | null }[]> {
  return tx.$queryRaw<{ host: string; command: string; rollback: string | null }[]>`
    select c.host, c.command, case when exists (
             select 1 from host_commands p where p.action_id = c.action_id and p.host = c.host
               and p.verdict = 'prelude' and p.exit_code = 0) then h.rollback end as rollback
    from host_commands c left join hosts h on h.name = c.host
    where c.action_id = ${actionId}::uuid and c.verdict = 'approved' order by c.serial`;
}

/**
 * Deletes a host. The record of its commands stays.
 *
 * @returns false if there was no such host.
 */
export async function deleteHost(tx: Tx, name: string): Promise<boolean> {
  return (await tx.$executeRaw`delete from hosts where name = ${name}`) === 1;
}

/** A command that was requested for a host, before any part of it runs. */
export interface NewHostCommand {
  readonly id: string;
  readonly host: string;
  readonly command: string;
  readonly verdict: HostVerdict;
  readonly reason: string | null;
  readonly sessionId: string;
  readonly goalId: string | null;
  readonly actionId: string;
}

/**
 * @returns the serial number. A command that was written before keeps its number if it has not ended; otherwise the
 *   result is null.
 */
export async function insertHostCommand(tx: Tx, row: NewHostCommand): Promise<number | null> {
  const rows = await tx.$queryRaw<{ serial: bigint; ended_at: Date | null }[]>`
    insert into host_commands (id, host, command, verdict, reason, session_id, goal_id, action_id)
    values (${row.id}::uuid, ${storable(row.host)}, ${storable(row.command)}, ${row.verdict},
            ${row.reason === null ? null : storable(row.reason)}, ${row.sessionId}::uuid, ${row.goalId}::uuid,
            ${row.actionId}::uuid)
    on conflict (id) do update set id = excluded.id returning serial, ended_at`;
  const [made] = rows;
  return made === undefined || made.ended_at !== null ? null : Number(made.serial);
}

/** Returns how often an action has started this approved command, not counting `except`. */
export async function countApproved(
  tx: Tx,
  {
    actionId,
    host,
    command,
    except,
  }: Pick<NewHostCommand, 'actionId' | 'host' | 'command'> & { readonly except: string },
): Promise<number> {
  const rows = await tx.$queryRaw<{ n: bigint }[]>`
    select count(*) as n from host_commands where action_id = ${actionId}::uuid and host = ${host}
      and command = ${storable(command)} and verdict in ('approved', 'creates') and id <> ${except}::uuid`;
  return Number(rows[0]?.n ?? 0);
}

/** @returns the command that ended, or null if its end was already known. */
export async function endHostCommand(
  tx: Tx,
  id: string,
  exitCode: number | null,
): Promise<{ readonly host: string; readonly command: string; readonly serial: number } | null> {
  const rows = await tx.$queryRaw<{ host: string; command: string; serial: bigint }[]>`
    update host_commands set exit_code = ${exitCode}::int, ended_at = now()
    where id = ${id}::uuid and ended_at is null returning host, command, serial`;
  const [row] = rows;
  return row === undefined ? null : { ...row, serial: Number(row.serial) };
}

/** Whether an action started an approved command on a host whose end is unknown. */
export async function hasLostHostCommand(tx: Tx, actionId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    select 1 from host_commands where action_id = ${actionId}::uuid and verdict in ('approved', 'creates') and exit_code is null limit 1`;
  return rows.length > 0;
}

/**
 * Stores the state of a command's automatic revert.
 *
 * @returns false if it has that state already, or if there is no such command.
 */
export async function setRevertState(tx: Tx, id: string, to: RevertState | null): Promise<boolean> {
  const changed = await tx.$executeRaw`
    update host_commands set way_back = ${to} where id = ${id}::uuid and way_back is distinct from ${to}`;
  return changed === 1;
}

/** Lists commands of an action for which a host waits for proof that aish can still sign in, oldest first. */
export async function listArmed(
  tx: Tx,
  actionId: string,
): Promise<{ readonly id: string; readonly host: string; readonly command: string }[]> {
  return tx.$queryRaw<{ id: string; host: string; command: string }[]>`
    select id, host, command from host_commands where action_id = ${actionId}::uuid and way_back = 'armed' order by serial`;
}

type HostCommandRow = Omit<Command, 'goal_id' | 'action_id'> & { readonly goal_number: number | null };

/** Lists the commands requested for a host, newest first. */
export async function listHostCommands(tx: Tx, host: string, limit: number): Promise<HostCommand[]> {
  const rows = await tx.$queryRaw<HostCommandRow[]>`
    select h.*, g.number as goal_number from host_commands h left join goals g on g.id = h.goal_id
    where h.host = ${host} order by h.serial desc limit ${limit}::int`;
  return rows.map((row) => ({
    id: row.id,
    serial: Number(row.serial),
    host: row.host,
    command: row.command,
    verdict: HostVerdict.parse(row.verdict),
    reason: row.reason,
    sessionId: row.session_id,
    goalNumber: row.goal_number,
    at: row.at.toISOString(),
    exitCode: row.exit_code,
    endedAt: row.ended_at?.toISOString() ?? null,
    wayBack: RevertState.nullable().parse(row.way_back),
  }));
}
