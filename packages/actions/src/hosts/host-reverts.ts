import { setTimeout as sleep } from 'node:timers/promises';
import type { RevertState } from '@aish/contracts/hosts';
import { AishError } from '@aish/contracts/problems';
import { appendAudit } from '@aish/database/audit.repository';
import { listArmed, listHosts, setRevertState, type HostRow } from '@aish/database/hosts.repository';
import { findingsOfAction } from '@aish/database/action-approvals.repository';
import { connectionStakes } from '@aish/safety';
import type { ActionContext, ActionPorts, HostPorts } from '../context.js';
import { signInAs } from './sign-in.js';
import { REVERT_AFTER_S, isTooLong, revertCommand, type RevertMode } from './revert-script.js';
import { REVERTS, noAnswerNotice, restoredNotice } from './revert-words.js';

const TRY_LIMIT_MS = 20_000;
/** The interval between renewals, in milliseconds. Several renewals fit into the time that a host waits. */
const RENEW_MS = 15_000;
const RETRY_MS = 2_000;
/**
 * How long aish keeps asking a host after its undo was due, in milliseconds. The undo takes a while, and sshd may
 * restart.
 */
const UNDONE_MS = 45_000;

const ANSWER = /^(ready|busy|cannot|root|armed|kept|back|returning|gone)( |$)/;

interface HostRevertParts {
  readonly action: { readonly id: string };
  readonly context: ActionContext;
  readonly ports: Pick<ActionPorts, 'db'>;
  readonly hosts: HostPorts;
  readonly signal: AbortSignal;
}

interface Armed {
  readonly id: string;
  readonly host: HostRow;
  readonly command: string;
}

/**
 * The automatic reverts of one action. Before a command that can cut its own connection, the host schedules a revert.
 * Each new sign-in delays it, and the first sign-in after the command cancels it. If nobody reaches the host in time, it
 * restores its state by itself, even if aish is dead.
 */
export class HostReverts {
  private readonly renewing = new Map<string, AbortController>();
  private readonly notes: string[] = [];

  constructor(private readonly parts: HostRevertParts) {}

  /**
   * Schedules the undo.
   *
   * @returns why the command must not run; null if it may run
   */
  async arm(id: string, host: HostRow, command: string): Promise<string | null> {
    const { kinds } = connectionStakes(command);
    if (kinds.length === 0) return null;
    const armed = { id, host, command };
    if (isTooLong(host, kinds))
      return this.unlessPromised('its SSH server takes no command that could save all of this');
    // The record is written first, so that a runner that takes over knows that the host waits for a sign-in.
    await this.record(armed, 'armed');
    const answer = await this.send('arm', armed);
    if (answer.startsWith('ready')) {
      this.renew(armed);
      return null;
    }
    await this.record(armed, null);
    if (answer.startsWith('busy')) return `another change on ${host.name} is not confirmed yet; ask again in a minute`;
    // The host may still have scheduled it, and then nobody would cancel it.
    if (answer === '')
      return `${host.name} did not respond while it prepared the automatic revert; ask again in two minutes`;
    return this.unlessPromised(answer);
  }

  private async unlessPromised(why: string): Promise<string | null> {
    const { db } = this.parts.ports;
    const isPromised = (await findingsOfAction(db.statements, this.parts.action.id)).includes(REVERTS);
    return isPromised ? `the automatic revert that the decision promised is not possible: ${why}` : null;
  }

  /** Continues the timers that an earlier runner began. */
  async resume(): Promise<void> {
    for (const armed of await this.listArmed()) this.renew(armed);
  }

  /**
   * Call this when a command has ended. It proves that aish can sign in, or finds out that the host restored its state.
   */
  async settle(id: string): Promise<void> {
    const armed = (await this.listArmed()).find((each) => each.id === id);
    if (armed !== undefined) await this.prove(armed);
  }

  /**
   * Call this when the action has ended. It leaves no change unconfirmed.
   *
   * @returns notes that the model and the person must get
   */
  async finish(): Promise<readonly string[]> {
    for (const { id } of await this.listArmed()) await this.settle(id);
    return this.notes;
  }

  private renew(armed: Armed): void {
    const stop = new AbortController();
    this.renewing.set(armed.id, stop);
    const signal = AbortSignal.any([stop.signal, this.parts.signal]);
    const work = async () => {
      for (;;) {
        await sleep(RENEW_MS, undefined, { signal });
        if (/^(back|returning|gone)/.test(await this.send('renew', armed, signal))) return;
      }
    };
    // The work stops when it is aborted. After any other failure the host restores its state, and `prove` finds that
    // out.
    work().catch(() => undefined);
  }

  private async prove(armed: Armed): Promise<void> {
    this.renewing.get(armed.id)?.abort();
    const { signal } = this.parts;
    const until = Date.now() + REVERT_AFTER_S * 1_000 + UNDONE_MS;
    for (;;) {
      const [word = '', ...rest] = (await this.send('confirm', armed)).split(' ');
      // If an earlier answer was lost, the change is confirmed and its folder is already gone.
      if (word === 'kept' || word === 'gone') return this.end(armed, 'kept');
      const { host, command } = armed;
      if (word === 'back')
        return this.end(armed, 'back', restoredNotice(host.name, command, connectionStakes(command), rest.join(' ')));
      if (Date.now() > until) return this.end(armed, 'unknown', noAnswerNotice(host.name, command));
      await sleep(RETRY_MS, undefined, { signal });
    }
  }

  private async end(armed: Armed, state: RevertState, note: string | null = null): Promise<void> {
    await this.record(armed, state);
    if (note !== null) this.notes.push(note);
  }

  /**
   * Signs in over a new connection each time.
   *
   * @returns the first line of the answer, or nothing
   * @throws the reason with which the authorizer aborted
   */
  private async send(mode: RevertMode, { id, host, command }: Armed, signal = this.parts.signal): Promise<string> {
    const { hosts, action } = this.parts;
    const text = revertCommand(mode, id, connectionStakes(command).kinds, host.user);
    const signIn = signInAs(hosts.authority, host, text, { serial: 0, id: `${action.id} ${id}` });
    try {
      const limit = AbortSignal.timeout(TRY_LIMIT_MS);
      const { output } = await hosts.bridge.try(signIn, AbortSignal.any([signal, limit]));
      // The login may print its own text first.
      const lines = output.split('\n').map((line) => line.trim());
      return lines.findLast((line) => ANSWER.test(line))?.slice(0, 200) ?? '';
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AishError || (error instanceof Error && error.name === 'TimeoutError')) return '';
      throw error;
    }
  }

  private async record({ id, host, command }: Armed, state: RevertState | null): Promise<void> {
    const { action, context } = this.parts;
    const { owner, goalId } = context.session;
    await context.write(async (tx) => {
      if (!(await setRevertState(tx, id, state))) return [];
      const facts = { state: state ?? 'none', command, actionId: action.id, goalId };
      await appendAudit(tx, { actor: owner, action: 'host.way_back', subject: host.name, facts });
      return [];
    });
  }

  private async listArmed(): Promise<readonly Armed[]> {
    const { statements } = this.parts.ports.db;
    const rows = await listArmed(statements, this.parts.action.id);
    if (rows.length === 0) return [];
    const hosts = await listHosts(statements);
    return rows.flatMap(({ id, host: name, command }) => {
      const host = hosts.find((each) => each.name === name);
      return host === undefined ? [] : [{ id, host, command }];
    });
  }
}
