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
import {
  briefMessage,
  findings,
  readRules,
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
import { HOST_ROW, rowsOf, snapshotsOf } from './kept-snapshots.js';

/** The newest look, and the fourteen before it that rules compare it with. */
const LOOKS = 15;
const DAY_MS = 86_400_000;
/** What rules read of earlier looks. */
const COMPARED = [HOST_ROW, 'system', 'disk', 'container', 'clock', 'oom'];

/** The daily check: looks at all hosts, keeps what they say, and finds what is wrong. */
@Injectable()
export class BriefService {
  constructor(
    @Part('db') private readonly db: Database,
    /** Undefined without HOSTS_CA_KEY. */
    @Part('hosts') private readonly ports: HostPorts | undefined,
    private readonly writer: BriefWriter,
  ) {}

  /** By what is kept; nobody is asked anything. */
  async show(now: Date): Promise<Brief> {
    const history = await this.history(now);
    return this.brief(history, await this.find(history, now), now);
  }

  /** Asks all hosts side by side: one that hangs delays nobody else. @throws AishError `hosts_off`, `sandbox_unreachable` */
  async run(signal: AbortSignal): Promise<Brief> {
    const { found, brief } = await this.look(new Date(), signal);
    return { ...brief, sentences: [...(await this.writer.sentences(found, signal))] };
  }

  /** Looks, and says whether that is worth a message. @throws as `run` */
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
      throw new AishError('hosts_off', 'aish reaches hosts with HOSTS_CA_KEY: docs/hosts.md');
    const snapshots = await Promise.all(
      ports === undefined ? [] : hosts.map((host) => probeHost(ports, host, rules, at, signal)),
    );
    await inTransaction(this.db, async (tx) => {
      for (const snapshot of snapshots) await saveLabSnapshot(tx, snapshot.host, at, rowsOf(snapshot));
    });
    return this.settle(at);
  }

  /** Compares the newest looks with those of a time, or two hosts now. */
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
      throw new AishError('not_found', `There is no snapshot of ${older === undefined ? query.host ?? 'a host without a name' : query.with}: run aish brief`); // prettier-ignore
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
      if (muted === 'unknown') throw new AishError('not_found', `There is no finding ${id}: aish brief lists them`);
      if (muted === 'gone')
        throw new AishError(
          'finding_gone',
          `${id} is gone, so there is nothing to mute. aish brief lists the current ones`,
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

  /** A finding that is there now. @throws AishError `finding_gone` */
  async finding(id: string, now: Date): Promise<Finding> {
    const found = (await this.find(await this.history(now), now)).find((each) => each.id === id);
    if (found !== undefined) return found;
    throw new AishError('finding_gone', `There is no finding ${id} now. aish brief lists the current ones`);
  }

  async rulesText(): Promise<string> {
    return readLabRules(this.db.statements);
  }

  /** @throws AishError `invalid_body` that names the line; then nothing has changed. */
  async setRules(by: string, yaml: string): Promise<void> {
    readRules(yaml);
    await inTransaction(this.db, async (tx) => {
      await saveLabRules(tx, yaml);
      await appendAudit(tx, { actor: by, action: 'brief.rules_changed', subject: 'brief.yaml' });
    });
    await this.settle(new Date());
  }

  /** Writes down what is found now, so that it has an id and a first time. */
  private async settle(now: Date) {
    const history = await this.history(now);
    const found = await this.find(history, now);
    await inTransaction(this.db, (tx) => saveLabFindings(tx, found, now));
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
    const lines = asked === 0 ? [nothingSeen(hosts.length)] : writeBrief(found, asked);
    return {
      at: now.toISOString(),
      findings: found.map(shown),
      hosts,
      lines: [...lines],
      sentences: [],
      work: [...(await this.work(now))],
    };
  }

  /** What waits now, and what ended since the last message, or in the last day. */
  private async work(now: Date): Promise<readonly string[]> {
    const day = new Date(now.getTime() - DAY_MS);
    const toldAt = (await readLabSchedule(this.db.statements))?.toldAt ?? day;
    const since = toldAt > now ? day : toldAt;
    return workLines(await readLabWork(this.db.statements, since, now), since);
  }

  /** Of each host that there is: the last looks, the newest one whole. */
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
    : 'aish has not looked at any host yet. Run aish brief';
}

/** Without certificates nothing would bind the key to the probe, and dropbear takes no command as long as this one. */
const mayBeAsked = ({ sealed }: HostRow): boolean => sealed === null;
const LEFT_OUT = 'left out: it has --login key, and only a certificate limits the key to the probe';

function hostOf(row: HostRow, newest: Snapshot | undefined): Brief['hosts'][number] {
  const host = row.name;
  if (!mayBeAsked(row)) return { host, at: null, answered: false, detail: LEFT_OUT, skipped: [] };
  if (newest === undefined) return { host, at: null, answered: false, detail: 'not asked yet', skipped: [] };
  const skipped = newest.readings.flatMap(({ probe, skipped: reasons }) =>
    reasons.map((reason) => ({ probe, reason })),
  );
  return { host, at: newest.at.toISOString(), answered: newest.answered, detail: newest.detail, skipped };
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
