import { Scope } from '@aish/contracts/tokens';
import type { DeviceLoginRow } from '../generated/rows.js';
import type { Tx } from '../tx.js';

export interface NewDeviceLogin {
  readonly userCode: string;
  readonly deviceHash: string;
  readonly name: string;
  readonly address: string;
  readonly minutes: number;
  readonly intervalS: number;
}

/**
 * Stores a device that asks for a token, and deletes expired ones. At most the newest `keep` per address and the newest
 * `most` in total stay, so that a flood of requests cannot lock out others.
 */
export async function insertDeviceLogin(tx: Tx, input: NewDeviceLogin, keep: number, most: number): Promise<void> {
  await tx.$executeRaw`
    delete from device_logins where expires_at < now() or user_code in (
      (select user_code from device_logins where address = ${input.address}
       order by created_at desc, user_code offset ${keep - 1}::int)
      union all (select user_code from device_logins order by created_at desc, user_code offset ${most - 1}::int))`;
  await tx.$executeRaw`
    insert into device_logins (user_code, device_hash, name, address, interval_s, expires_at)
    values (${input.userCode}, ${input.deviceHash}, ${input.name}, ${input.address}, ${input.intervalS}::int,
            now() + ${input.minutes}::int * interval '1 minute')`;
}

export type WaitingDeviceRow = Pick<DeviceLoginRow, 'name' | 'address' | 'created_at' | 'expires_at'>;

/** Returns the device that waits with this code, or null. */
export async function findWaitingDevice(tx: Tx, userCode: string): Promise<WaitingDeviceRow | null> {
  const rows = await tx.$queryRaw<WaitingDeviceRow[]>`
    select name, address, created_at, expires_at from device_logins
    where user_code = ${userCode} and state = 'pending' and expires_at > now()`;
  return rows[0] ?? null;
}

/**
 * Approves or rejects a waiting device, once.
 *
 * @returns false if none waits with this code.
 */
export async function decideDevice(
  tx: Tx,
  userCode: string,
  decided: { readonly state: 'approved' | 'denied'; readonly scopes: readonly Scope[]; readonly by: string },
): Promise<boolean> {
  const changed = await tx.$executeRaw`
    update device_logins set state = ${decided.state}, scopes = ${[...decided.scopes]}::text[], decided_by = ${decided.by}
    where user_code = ${userCode} and state = 'pending' and expires_at > now()`;
  return changed === 1;
}

export type DeviceAnswer =
  | { readonly state: 'unknown' | 'pending' | 'slow_down' | 'denied' }
  | {
      readonly state: 'approved';
      readonly name: string;
      readonly scopes: readonly Scope[];
      readonly decidedBy: string;
    };

/** Returns the answer to a device that polls for its token. If it polls too often, its interval grows by 5 s. */
export async function askDevice(tx: Tx, deviceHash: string): Promise<DeviceAnswer> {
  const rows = await tx.$queryRaw<
    { state: string; early: boolean; name: string; scopes: string[]; decided_by: string | null }[]
  >`
    with before as (
      select *, coalesce(asked_at > now() - (interval_s - 1) * interval '1 second', false) as early from device_logins
      where device_hash = ${deviceHash} and expires_at > now() for update
    )
    update device_logins d set asked_at = now(), interval_s = d.interval_s + case when b.early then 5 else 0 end
    from before b where d.user_code = b.user_code returning d.state, b.early, d.name, d.scopes, d.decided_by`;
  const row = rows[0];
  if (row === undefined) return { state: 'unknown' };
  if (row.early) return { state: 'slow_down' };
  if (row.state === 'pending') return { state: 'pending' };
  await tx.$executeRaw`delete from device_logins where device_hash = ${deviceHash}`;
  if (row.state !== 'approved') return { state: 'denied' };
  const scopes = row.scopes.map((scope) => Scope.parse(scope));
  return { state: 'approved', name: row.name, scopes, decidedBy: row.decided_by ?? '' };
}
