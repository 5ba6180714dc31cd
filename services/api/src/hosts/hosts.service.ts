import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { createHash } from 'node:crypto';
import type { HostAuthority, HostPorts } from '@aish/actions';
import type { AddHost, Host, HostCheck, HostCommandList, SeenHost, SetPrelude, ShownKey } from '@aish/contracts/hosts';
import { AishError } from '@aish/contracts/problems';
import { appendAudit } from '@aish/database/audit.repository';
import type { Database } from '@aish/database/client';
import {
  deleteHost,
  findHost,
  insertHost,
  listHostCommands,
  listHosts,
  moveHost,
  setHostKeys,
  setHostPrelude,
  type HostRow,
} from '@aish/database/hosts.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Tx } from '@aish/database/tx';

const HOST_TIMEOUT_MS = 45_000;
const TOOLS = ['zfs', 'btrfs', 'lvcreate', 'qm', 'pct', 'docker', 'podman'];
const COMMANDS_MAX = 200;

/** Manages hosts that commands may use over SSH, for admins. */
@Injectable()
export class HostsService {
  constructor(
    @Part('db') private readonly db: Database,
    /** Undefined without HOSTS_CA_KEY. */
    @Part('hosts') private readonly ports: HostPorts | undefined,
  ) {}

  async list(): Promise<Host[]> {
    const rows = await listHosts(this.db.statements);
    return Promise.all(rows.map((row) => this.shown(row)));
  }

  /**
   * Adds a host. Its keys are read first, so a host that cannot be reached is not added. @throws AishError `hosts_off`,
   * `name_taken`, `host_unreachable`
   */
  async add(by: string, input: AddHost): Promise<SeenHost> {
    const seen = await this.scan(input);
    await inTransaction(this.db, (tx) => this.insert(tx, by, input));
    return { host: await this.shown(await this.find(input.name)), seen };
  }

  /** Adds a host that nobody has contacted. @throws AishError `hosts_off`, `name_taken` */
  async insert(tx: Tx, by: string, input: AddHost): Promise<void> {
    const { authority } = this.on();
    const sealed = input.login === 'key' ? authority.storedKey().sealed : null;
    if (!(await insertHost(tx, { ...input, sealed, createdBy: by }))) {
      throw new AishError('name_taken', `The host ${input.name} already exists. Remove it, or choose another name`);
    }
    const { name, ...facts } = input;
    await appendAudit(tx, { actor: by, action: 'host.added', subject: name, facts });
  }

  /** Changes where a host is, and how aish signs in. @throws AishError `hosts_off` */
  async move(tx: Tx, by: string, input: AddHost): Promise<void> {
    const { authority } = this.on();
    const before = await findHost(tx, input.name);
    const isKept = before?.login === input.login;
    const sealed = isKept ? before.sealed : input.login === 'key' ? authority.storedKey().sealed : null;
    await moveHost(tx, { ...input, sealed });
    const { name, ...facts } = input;
    await appendAudit(tx, { actor: by, action: 'host.changed', subject: name, facts });
  }

  /** Returns the keys that the host presents now, to compare them with the pinned ones. */
  async see(name: string): Promise<SeenHost> {
    const row = await this.find(name);
    return { host: await this.shown(row), seen: await this.scan(row) };
  }

  async trust(by: string, name: string, keys: readonly string[]): Promise<Host> {
    const { keys: before } = await this.find(name);
    await inTransaction(this.db, (tx) => this.pin(tx, by, name, keys, before));
    return this.shown(await this.find(name));
  }

  /** Pins the keys of a host. @param before the keys that were pinned until now */
  async pin(tx: Tx, by: string, name: string, keys: readonly string[], before: readonly string[]): Promise<void> {
    await setHostKeys(tx, name, keys);
    const facts = { keys: keys.map(fingerprint), before: before.map(fingerprint) };
    await appendAudit(tx, { actor: by, action: 'host.trusted', subject: name, facts });
  }

  /** @throws AishError `not_found` */
  async setPrelude(by: string, name: string, change: SetPrelude): Promise<Host> {
    await this.find(name);
    await inTransaction(this.db, (tx) => this.writePrelude(tx, by, name, change));
    return this.shown(await this.find(name));
  }

  /** Does the same within the caller's transaction. */
  async writePrelude(tx: Tx, by: string, name: string, change: SetPrelude): Promise<void> {
    await setHostPrelude(tx, name, change);
    await appendAudit(tx, { actor: by, action: 'host.changed', subject: name, facts: change });
  }

  async remove(by: string, name: string): Promise<Host> {
    const host = await this.shown(await this.find(name));
    await inTransaction(this.db, (tx) => this.delete(tx, by, name));
    return host;
  }

  /** Does the same within the caller's transaction. */
  async delete(tx: Tx, by: string, name: string): Promise<void> {
    await deleteHost(tx, name);
    await appendAudit(tx, { actor: by, action: 'host.removed', subject: name });
  }

  /** Returns the line for `authorized_keys` of the user on the host. @throws AishError `hosts_off` */
  async authorizedKeys(tx: Tx, name: string): Promise<string> {
    return lineFor(this.on().authority, name, (await findHost(tx, name))?.sealed ?? null);
  }

  /** Signs in to the host and runs one command that changes nothing. */
  async check(name: string): Promise<HostCheck> {
    const { authority, bridge } = this.on();
    const row = await this.find(name);
    if (row.keys.length === 0) return { ok: false, detail: `not trusted yet: aish host trust ${name}`, tools: [] };
    const command = `uname -sr; command -v ${TOOLS.join(' ')} || true`;
    const id = `check of ${name}`;
    const key =
      row.sealed === null
        ? authority.sign({ host: name, command, serial: 0, id })
        : { privateKey: authority.openKey(row.sealed).privateKey, certificate: null };
    const { address, port, user, keys } = row;
    const place = { address, port, user, keys: [...keys] };
    const signIn = { ...place, ...key, command, subsystem: false, stdin: false };
    const { exitCode, output, log } = await bridge.try(signIn, AbortSignal.timeout(HOST_TIMEOUT_MS));
    const [system = '', ...paths] = output.trim().split('\n');
    const tools = TOOLS.filter((tool) => paths.some((path) => path.endsWith(`/${tool}`) || path === tool));
    const detail = exitCode === 0 ? system : log.trim() || `exited with code ${exitCode}`;
    return { ok: exitCode === 0, detail, tools };
  }

  async commands(name: string): Promise<HostCommandList> {
    return { items: await listHostCommands(this.db.statements, name, COMMANDS_MAX) };
  }

  private async scan({ address, port }: Pick<HostRow, 'address' | 'port'>): Promise<ShownKey[]> {
    const keys = await this.on().bridge.scan(address, port, AbortSignal.timeout(HOST_TIMEOUT_MS));
    return keys.map(shownKey);
  }

  private async shown({ sealed, createdAt, keys, ...row }: HostRow): Promise<Host> {
    const commands = await listHostCommands(this.db.statements, row.name, COMMANDS_MAX);
    const last = commands.find(({ verdict }) => ['read-only', 'approved', 'creates'].includes(verdict));
    const authority = this.ports?.authority;
    return {
      ...row,
      keys: keys.map(shownKey),
      authorizedKeys: authority === undefined ? '' : lineFor(authority, row.name, sealed),
      createdAt: createdAt.toISOString(),
      lastSeenAt: commands.find(({ exitCode }) => exitCode !== null)?.endedAt ?? null,
      last: last === undefined ? null : { command: last.command, at: last.at, goalNumber: last.goalNumber },
    };
  }

  private async find(name: string): Promise<HostRow> {
    const row = await findHost(this.db.statements, name);
    if (row === null) throw new AishError('not_found', `There is no host ${name}`);
    return row;
  }

  private on(): HostPorts {
    if (this.ports !== undefined) return this.ports;
    throw new AishError(
      'hosts_off',
      'Hosts need the setting HOSTS_CA_KEY, for the api and the workers. See docs/hosts.md',
    );
  }
}

function lineFor(authority: HostAuthority, name: string, sealed: string | null): string {
  return sealed === null ? authority.authorizedKeys(name) : authority.openKey(sealed).authorizedKeys;
}

function shownKey(key: string): ShownKey {
  return { key, fingerprint: fingerprint(key) };
}

/** Returns the fingerprint as `ssh-keygen -l` prints it. */
function fingerprint(key: string): string {
  const blob = Buffer.from(key.split(' ')[1] ?? '', 'base64');
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}

/** Returns the hosts with these names. @throws AishError `host_not_given` if no admin has added one of them */
export async function checkHosts(tx: Tx, names: readonly string[]): Promise<readonly HostRow[]> {
  if (names.length === 0) return [];
  const known = await listHosts(tx);
  const unknown = names.find((name) => !known.some((host) => host.name === name));
  if (unknown === undefined) return known.filter(({ name }) => names.includes(name));
  const offer = known.length === 0 ? 'there are none' : `the hosts are ${known.map(({ name }) => name).join(', ')}`;
  throw new AishError('host_not_given', `There is no host ${unknown}; ${offer}. An admin can add one: aish host add`);
}
