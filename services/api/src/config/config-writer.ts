import { Injectable } from '@nestjs/common';
import { canonical, type WantedChange } from '@aish/contracts/config-changes';
import type { AppliedConfig, ConfigDocument } from '@aish/contracts/config-document';
import { AishError } from '@aish/contracts/problems';
import { SecretValue } from '@aish/contracts/secrets';
import { emptySpace, Space } from '@aish/contracts/spaces';
import { listEventRules } from '@aish/database/event-sources.repository';
import { listSchedules } from '@aish/database/schedules.repository';
import { lockSpace } from '@aish/database/spaces.repository';
import type { Tx } from '@aish/database/tx';
import { EventsService } from '../events/events.service.js';
import { HostsService } from '../hosts/hosts.service.js';
import { ImagesService } from '../images/images.service.js';
import { BriefScheduleService } from '../lab/brief-schedule.service.js';
import { BriefService } from '../lab/brief.service.js';
import { SchedulesService } from '../schedules/schedules.service.js';
import { SecretsService } from '../secrets/secrets.service.js';
import type { Person } from '../spaces/space-access.js';
import { SpacesService } from '../spaces/spaces.service.js';

type Of<F extends keyof ConfigDocument> = NonNullable<ConfigDocument[F]>;
type Each<M> = M extends Record<string, infer V> ? V : never;

/** What a change needs besides the transaction. */
export interface WriteOptions {
  readonly by: Person;
  /** The values of secrets. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The IDs of builds that have started, by the names of their images. Empty in a dry run. */
  readonly builds: ReadonlyMap<string, string>;
  /** Whether the transaction is rolled back at its end. Nothing outside the database then changes. */
  readonly dryRun: boolean;
}

/** What happens when the transaction is committed, and what the person learns. */
export interface Written extends Pick<AppliedConfig, 'sources' | 'hosts'> {
  readonly afterwards: readonly (() => Promise<unknown>)[];
}

const NOTHING: Written = { sources: [], hosts: [], afterwards: [] };
/** In a dry run, a secret without a value gets this one, which nobody ever sees. */
const NO_VALUE = SecretValue.parse('not-set-yet');

/** Writes one change of the configuration in a transaction, with the same checks and audit entries as its own command. */
@Injectable()
export class ConfigWriter {
  constructor(
    private readonly spaces: SpacesService,
    private readonly secrets: SecretsService,
    private readonly images: ImagesService,
    private readonly hosts: HostsService,
    private readonly events: EventsService,
    private readonly schedules: SchedulesService,
    private readonly brief: BriefService,
    private readonly daily: BriefScheduleService,
  ) {}

  /** Checks what does not depend on the transaction. @throws AishError */
  async check({ kind, change, to }: WantedChange): Promise<void> {
    if (kind === 'space' && change !== 'remove') await this.spaces.check(to as Each<Of<'spaces'>>);
  }

  /** Starts the build of an image. @returns its ID */
  begin({ name, to }: WantedChange): Promise<string> {
    return this.images.begin(name, to as Each<Of<'images'>>);
  }

  /** @throws AishError as the command for such a change */
  async write(tx: Tx, wanted: WantedChange, options: WriteOptions): Promise<Written> {
    const { kind, change, name } = wanted;
    const by = options.by.name;
    const isRemoved = change === 'remove';
    switch (kind) {
      case 'secret': {
        if (isRemoved) await this.secrets.delete(tx, by, name);
        else {
          const value = options.secrets[name] ?? NO_VALUE;
          await this.secrets.write(tx, by, name, { value, ...(wanted.to as Each<Of<'secrets'>>) });
        }
        return NOTHING;
      }
      case 'host': {
        return this.writeHost(tx, by, wanted);
      }
      case 'image': {
        return this.writeImage(tx, by, wanted, options);
      }
      case 'space': {
        if (isRemoved) await this.spaces.delete(tx, by, name);
        else {
          const access = wanted.to as Each<Of<'spaces'>>;
          await lockSpace(tx, name);
          await this.spaces.write(tx, by, Space.parse({ ...emptySpace(name), ...access }), access);
        }
        return NOTHING;
      }
      case 'event source': {
        return this.writeSource(tx, by, wanted);
      }
      case 'event rule': {
        return this.writeRule(tx, wanted, options.by);
      }
      case 'schedule': {
        return this.writeSchedule(tx, wanted, options);
      }
      case 'brief': {
        return this.writeBrief(tx, by, wanted);
      }
    }
  }

  private async writeHost(tx: Tx, by: string, { change, name, from, to }: WantedChange): Promise<Written> {
    if (change === 'remove') {
      await this.hosts.delete(tx, by, name);
      return NOTHING;
    }
    const { keys, prelude, rollback, ...place } = to as Each<Of<'hosts'>>;
    const before = from as Each<Of<'hosts'>> | undefined;
    if (before === undefined) await this.hosts.insert(tx, by, { name, ...place });
    else await this.hosts.move(tx, by, { name, ...place });
    if (canonical(keys) !== canonical(before?.keys ?? [])) await this.hosts.pin(tx, by, name, keys, before?.keys ?? []);
    const now = { prelude, rollback };
    const then = { prelude: before?.prelude ?? null, rollback: before?.rollback ?? null };
    if (canonical(now) !== canonical(then)) await this.hosts.writePrelude(tx, by, name, now);
    if (before?.login === place.login) return NOTHING;
    return { ...NOTHING, hosts: [{ name, authorizedKeys: await this.hosts.authorizedKeys(tx, name) }] };
  }

  private async writeImage(
    tx: Tx,
    by: string,
    { change, name, to }: WantedChange,
    { builds }: WriteOptions,
  ): Promise<Written> {
    if (change === 'remove') {
      await this.images.delete(tx, by, name, null);
      return { ...NOTHING, afterwards: [() => this.images.removeBuilt(name)] };
    }
    const build = builds.get(name);
    if (build !== undefined)
      await this.images.write(tx, by, 'image.set', { name, recipe: to as Each<Of<'images'>>, build });
    return NOTHING;
  }

  private async writeSource(tx: Tx, by: string, { change, name, to }: WantedChange): Promise<Written> {
    if (change === 'set') {
      throw new AishError(
        'invalid_body',
        `The proof of the event source ${name} cannot change. Use another name for it`,
      );
    }
    if (change === 'remove') {
      await this.events.deleteSource(tx, by, name);
      return NOTHING;
    }
    const source = to as Each<Of<'events'>['sources']>;
    const { secret } = await this.events.insertSource(tx, by, { name, ...source });
    return { ...NOTHING, sources: [{ name, secret }] };
  }

  private async writeRule(tx: Tx, { change, from, to }: WantedChange, by: Person): Promise<Written> {
    if (change === 'add') {
      await this.events.insertRule(tx, by, to as Of<'events'>['rules'][number]);
      return NOTHING;
    }
    const rules = await listEventRules(tx);
    const same = rules.find(
      ({ id: _id, number: _number, createdBy: _by, createdAt: _at, ...rule }) => canonical(rule) === canonical(from),
    );
    // The rules of a removed source are gone already.
    if (same !== undefined) await this.events.deleteRule(tx, by.name, same.id);
    return NOTHING;
  }

  private async writeSchedule(
    tx: Tx,
    { change, from, to }: WantedChange,
    { by, dryRun }: WriteOptions,
  ): Promise<Written> {
    if (change === 'add') {
      const wanted = to as Of<'schedules'>['goals'][number];
      const id = await this.schedules.insert(tx, by, wanted);
      // A schedule that the queue refuses is not stored.
      if (!dryRun) await this.schedules.enqueue(id, wanted);
      return NOTHING;
    }
    const same = (await listSchedules(tx)).find(
      ({ cron, timezone, overlap, when, goal }) =>
        canonical({ cron, timezone, overlap, when, goal }) === canonical(from),
    );
    if (same === undefined) return NOTHING;
    await this.schedules.delete(tx, by.name, same);
    return { ...NOTHING, afterwards: [() => this.schedules.unqueue(same.id)] };
  }

  private async writeBrief(tx: Tx, by: string, { path, to }: WantedChange): Promise<Written> {
    const now = new Date();
    if (path[0] === 'schedules') {
      const daily = (to as Of<'schedules'>['brief'] | undefined) ?? { at: null, timezone: 'UTC' };
      await this.daily.write(tx, by, daily, now);
      return NOTHING;
    }
    await this.brief.writeRules(tx, by, (to as string | undefined) ?? '');
    return { ...NOTHING, afterwards: [() => this.brief.settle(now)] };
  }
}
