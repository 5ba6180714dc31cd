import { Injectable } from '@nestjs/common';
import type { HostPorts } from '@aish/actions';
import type { Brief, LabChange, LabFinding } from '@aish/contracts/lab';
import { AishError } from '@aish/contracts/problems';
import { appendAudit } from '@aish/database/audit.repository';
import type { Database } from '@aish/database/client';
import { listHosts, type HostRow } from '@aish/database/hosts.repository';
import {
  listLabFindings,
  listLabReadings,
  muteLabFinding,
  readLabRules,
  saveLabFindings,
  saveLabRules,
  saveLabSnapshot,
} from '@aish/database/lab.repository';
import { readLabSchedule } from '@aish/database/lab-schedule.repository';
import { readLabWork } from '@aish/database/lab-work.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Tx } from '@aish/database/tx';
import {
  briefMessage,
  findings,
  readRules,
  unknownOf,
  whatChanged,
  workLines,
  writeBrief,
  type BriefMessage,
  type Finding,
  type Snapshot,
} from '@aish/lab';
import { Part } from '../part.js';
import { BriefWriter } from './brief-writer.js';
import { probeHost } from './host-prober.js';
import { InventoryService } from './inventory.service.js';
import { HOST_ROW, rowsOf, snapshotsOf } from './kept-snapshots.js';

/** The number of checks that are read: the newest one, and fourteen earlier ones that rules compare it with. */
const LOOKS = 15;
const DAY_MS = 86_400_000;
/** Rules read these probes of earlier checks. */
const COMPARED = [HOST_ROW, 'system', 'disk', 'container', 'clock', 'oom'];

/** Runs the daily check: asks all hosts, stores their answers, and looks for problems. */
@Injectable()
export class BriefService {
  constructor(
    @Part('db') private readonly db: Database,
    /** Undefined without HOSTS_CA_KEY. */
    @Part('hosts') private readonly ports: HostPorts | undefined,
    private readonly writer: BriefWriter,
    private readonly inventory: InventoryService,
  ) {}

  /** Shows the brief from stored data, without asking any host. */
  async show(now: Date): Promise<Brief> {
    const history = await this.history(now);
    return this.brief(history, await this.find(history, now), now);
  }

  /**
   * Asks all hosts in parallel, so that a host that hangs does not delay the others. @throws AishError `hosts_off`,
   * `sandbox_unreachable`
   */
  async run(signal: AbortSignal): Promise<Brief> {
    const { found, brief } = await this.look(new Date(), signal);
    return { ...brief, sentences: [...(await this.writer.sentences(found, signal))] };
  }

  /** Checks all hosts, and decides whether the result is worth a message. @throws as `run` */
  async message(quietAt: Date | null, now: Date, signal: AbortSignal): Promise<BriefMessage | null> {
    const { found, brief } = await this.look(now, signal);
    const message = briefMessage(found, brief.lines, quietAt, now);
    return message === null ? null : { ...message, lines: [...message.lines, ...brief.work] };
  }

  private async look(at: Date, signal: AbortSignal) {
    const rules = readRules(await this.rulesText());
    const hosts = (await listHosts(this.db.statements)).filter(mayBeAsked);
    const { ports } = this;
    if (hosts.length > 0 && ports === undefined)
      throw new AishError('hosts_off', 'Hosts need the setting HOSTS_CA_KEY. See docs/hosts.md');
    const snapshots = await Promise.all(
      ports === undefined ? [] : hosts.map((host) => probeHost(ports, host, rules, at, signal)),
    );
    await inTransaction(this.db, async (tx) => {
      for (const snapshot of snapshots) await saveLabSnapshot(tx, snapshot.host, at, rowsOf(snapshot));
    });
    this.inventory.follow();
    return this.settle(at);
  }

  /** Compares the newest snapshots with those of an earlier time, or compares two hosts now. */
  async changes(query: {
    readonly since: string;
    readonly host?: string | undefined;
    readonly with?: string | undefined;
  }): Promise<readonly LabChange[]> {
    const latest = await this.looks(new Date(), 1, null);
    const last = (host: string | undefined) => latest.get(host ?? '')?.find(({ answered }) => answered);
    if (query.with !== undefined) {
      const [older, newer] = [last(query.host), last(query.with)];
      if (older !== undefined && newer !== undefined) return whatChanged(older, newer);
      throw new AishError('not_found', `There is no snapshot of ${older === undefined ? query.host ?? 'a host without a name' : query.with}. Run aish brief`); // prettier-ignore
    }
    const before = await this.looks(new Date(query.since), 1, null);
    return [...latest.keys()]
      .filter((host) => query.host === undefined || query.host === host)
      .flatMap((host) => {
        const [older, newer] = [before.get(host)?.find(({ answered }) => answered), last(host)];
        return older === undefined || newer === undefined ? [] : whatChanged(older, newer);
      });
  }

  async mute(by: string, id: string, until: Date | null): Promise<Brief> {
    await inTransaction(this.db, async (tx) => {
      const muted = await muteLabFinding(tx, id, until);
      if (muted === 'unknown')
        throw new AishError('not_found', `There is no finding ${id}. List the findings with: aish brief`);
      if (muted === 'gone')
        throw new AishError(
          'finding_gone',
          `${id} no longer exists, so there is nothing to mute. List the current findings with: aish brief`,
        );
      await appendAudit(tx, {
        actor: by,
        action: 'finding.muted',
        subject: id,
        facts: { until: until?.toISOString() ?? null },
      });
    });
    return this.show(new Date());
  }

  /** Returns a current finding. @throws AishError `finding_gone` */
  async finding(id: string, now: Date): Promise<Finding> {
    const found = (await this.find(await this.history(now), now)).find((each) => each.id === id);
    if (found !== undefined) return found;
    throw new AishError(
      'finding_gone',
      `The finding ${id} no longer exists. List the current findings with: aish brief`,
    );
  }

  async rulesText(): Promise<string> {
    return readLabRules(this.db.statements);
  }

  /** @throws AishError `invalid_body`, which names the line; the rules then stay unchanged */
  async setRules(by: string, yaml: string): Promise<void> {
    await inTransaction(this.db, (tx) => this.writeRules(tx, by, yaml));
    await this.settle(new Date());
  }

  /** Writes the rules. `settle` then applies them to the findings. @throws AishError `invalid_body` */
  async writeRules(tx: Tx, by: string, yaml: string): Promise<void> {
    readRules(yaml);
    await saveLabRules(tx, yaml);
    await appendAudit(tx, { actor: by, action: 'brief.rules_changed', subject: 'brief.yaml' });
  }

  /** Saves the current findings, so that each of them has an ID and a first time. */
  async settle(now: Date) {
    const history = await this.history(now);
    const found = await this.find(history, now);
    const unsure = [...history].flatMap(([host, snapshots]) => (isWhole(snapshots.at(-1)) ? [] : [host]));
    await inTransaction(this.db, (tx) => saveLabFindings(tx, found, now, unsure));
    return { found, brief: await this.brief(history, found, now) };
  }

  private async find(history: ReadonlyMap<string, readonly Snapshot[]>, now: Date): Promise<readonly Finding[]> {
    const known = await listLabFindings(this.db.statements);
    return findings(history, known, readRules(await this.rulesText()), now);
  }

  private async brief(
    history: ReadonlyMap<string, readonly Snapshot[]>,
    found: readonly Finding[],
    now: Date,
  ): Promise<Brief> {
    const rows = await listHosts(this.db.statements);
    const hosts = rows.map((row) => hostOf(row, history.get(row.name)?.at(-1)));
    const asked = hosts.filter(({ at }) => at !== null).length;
    const newest = [...history.values()].flatMap((snapshots) => snapshots.at(-1) ?? []);
    const lines = asked === 0 ? [nothingSeen(hosts.length)] : writeBrief(found, asked, newest);
    return {
      at: now.toISOString(),
      findings: found.map(shown),
      hosts,
      lines: [...lines],
      sentences: [],
      work: [...(await this.work(now))],
    };
  }

  /** Returns lines about work that waits now, and about work that ended since the last message, or in the last day. */
  private async work(now: Date): Promise<readonly string[]> {
    const day = new Date(now.getTime() - DAY_MS);
    const sentAt = (await readLabSchedule(this.db.statements))?.sentAt ?? day;
    const since = sentAt > now ? day : sentAt;
    return workLines(await readLabWork(this.db.statements, since, now), since);
  }

  /** Returns the latest snapshots of each current host. The newest snapshot has all probes. */
  private async history(now: Date): Promise<ReadonlyMap<string, readonly Snapshot[]>> {
    const [hosts, past, newest] = await Promise.all([
      listHosts(this.db.statements),
      this.looks(now, LOOKS, COMPARED),
      this.looks(now, 1, null),
    ]);
    return new Map(
      hosts
        .filter(mayBeAsked)
        .map(({ name }) => [name, [...(past.get(name) ?? []).slice(0, -1), ...(newest.get(name) ?? [])]]),
    );
  }

  private async looks(until: Date, looks: number, probes: readonly string[] | null) {
    return snapshotsOf(await listLabReadings(this.db.statements, { until, looks, probes }));
  }
}

function nothingSeen(hosts: number): string {
  return hosts === 0
    ? 'There are no hosts yet. Add one: aish host add nas nas.lan'
    : 'aish has not checked any host yet. Run aish brief';
}

/**
 * Returns whether a host may be probed. Without certificates nothing would bind the key to the probe, and dropbear
 * accepts no command of this length.
 */
const mayBeAsked = ({ sealed }: HostRow): boolean => sealed === null;
const LEFT_OUT = 'skipped: it uses --login key, and only a certificate can limit aish to the probe';

/** Whether this snapshot is complete, so that a finding that it does not contain is over. */
function isWhole(newest: Snapshot | undefined): boolean {
  return newest !== undefined && newest.answered && newest.readings.every(({ cut }) => !cut);
}

function hostOf(row: HostRow, newest: Snapshot | undefined): Brief['hosts'][number] {
  const host = row.name;
  if (!mayBeAsked(row)) return { host, at: null, answered: false, detail: LEFT_OUT, skipped: [] };
  if (newest === undefined) return { host, at: null, answered: false, detail: 'not checked yet', skipped: [] };
  const skipped = newest.readings.flatMap(({ probe, skipped: reasons }) =>
    reasons.map((reason) => ({ probe, reason })),
  );
  const unknown = unknownOf(newest);
  const detail = unknown === '' ? newest.detail : `not known: ${unknown}`;
  return { host, at: newest.at.toISOString(), answered: newest.answered, detail, skipped };
}

function shown({ id, kind, host, name, sentence, fact, firstSeen, muted }: Finding): LabFinding {
  const values = { ...fact?.values };
  return {
    id,
    host,
    sentence,
    fact: { probe: fact?.probe ?? kind, name: fact?.name ?? name, values },
    firstSeenAt: firstSeen.toISOString(),
    muted,
  };
}
