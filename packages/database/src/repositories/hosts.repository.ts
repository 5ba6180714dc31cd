import { HostLogin, HostVerdict, type HostCommand, type SetPrelude } from '@aish/contracts/hosts';
import type { HostRow as Stored, HostCommandRow as Command } from '../generated/rows.js';
import type { Tx } from '../tx.js';
import { storable } from './storable.js';

export interface HostRow {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly user: string;
  readonly login: HostLogin;
  /** Pinned; none: it is not trusted yet. */
  readonly keys: readonly string[];
  /** The stored key of a host that knows no certificates, encrypted. */
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

/** @returns false when there is one of that name. */
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

/** @returns false when there is no such host. */
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

/** What an action did on hosts with a person's word, oldest first, with what takes it back where there is such a thing. */
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

/** What was done there stays on record. @returns false when there was none. */
export async function deleteHost(tx: Tx, name: string): Promise<boolean> {
  return (await tx.$executeRaw`delete from hosts where name = ${name}`) === 1;
}

/** One command that was asked for, before anything of it runs. */
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

/** @returns the serial; of one that was written before and has not ended the same, null of one that has. */
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

/** Of commands that an action had a person's word for: how often this one was begun, others than `except`. */
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
      and command = ${storable(command)} and verdict = 'approved' and id <> ${except}::uuid`;
  return Number(rows[0]?.n ?? 0);
}

/** @returns what ended, or null when that is known already. */
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

/** Whether an action let something run on a host, with a person's word, of whose end nobody knows. */
export async function hasLostHostCommand(tx: Tx, actionId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    select 1 from host_commands where action_id = ${actionId}::uuid and verdict = 'approved' and exit_code is null limit 1`;
  return rows.length > 0;
}

type HostCommandRow = Omit<Command, 'goal_id' | 'action_id'> & { readonly goal_number: number | null };

/** What was asked for on a host, newest first. */
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
  }));
}
