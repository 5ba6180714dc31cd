import { Injectable } from '@nestjs/common';
import { canonical, type WantedChange } from '@aish/contracts/config-changes';
import { AishError } from '@aish/contracts/problems';
import { listEventRules } from '@aish/database/event-sources.repository';
import { listSchedules } from '@aish/database/schedules.repository';
import type { Tx } from '@aish/database/tx';
import { EventsService } from '../events/events.service.js';
import { BriefScheduleService } from '../lab/brief-schedule.service.js';
import { BriefService } from '../lab/brief.service.js';
import { SchedulesService } from '../schedules/schedules.service.js';
import { NOTHING_MORE, type EntryOf, type FileOf, type WriteOptions, type Written } from './written.js';

/** Writes changes of what starts goals, and of the brief, with the same checks and audit entries as their own commands. */
@Injectable()
export class AutomationWriter {
  constructor(
    private readonly events: EventsService,
    private readonly schedules: SchedulesService,
    private readonly brief: BriefService,
    private readonly daily: BriefScheduleService,
  ) {}

  async writeSource(tx: Tx, { change, name, to }: WantedChange, options: WriteOptions): Promise<Written> {
    const by = options.by.name;
    if (change === 'set') {
      throw new AishError(
        'invalid_body',
        `The proof of the event source ${name} cannot change. Use another name for it`,
      );
    }
    if (change === 'remove') {
      await this.events.deleteSource(tx, by, name);
      return NOTHING_MORE;
    }
    const source = to as EntryOf<FileOf<'events'>['sources']>;
    const { secret } = await this.events.insertSource(tx, by, { name, ...source });
    return { ...NOTHING_MORE, sources: [{ name, secret }] };
  }

  async writeRule(tx: Tx, { change, from, to }: WantedChange, { by }: WriteOptions): Promise<Written> {
    if (change === 'add') {
      await this.events.insertRule(tx, by, to as FileOf<'events'>['rules'][number]);
      return NOTHING_MORE;
    }
    const rules = await listEventRules(tx);
    const same = rules.find(
      ({ id: _id, number: _number, createdBy: _by, createdAt: _at, ...rule }) => canonical(rule) === canonical(from),
    );
    // The rules of a removed source are gone already.
    if (same !== undefined) await this.events.deleteRule(tx, by.name, same.id);
    return NOTHING_MORE;
  }

  async writeSchedule(tx: Tx, { change, from, to }: WantedChange, { by, dryRun }: WriteOptions): Promise<Written> {
    if (change === 'add') {
      const wanted = to as FileOf<'schedules'>['goals'][number];
      const id = await this.schedules.insert(tx, by, wanted);
      // A schedule that the queue refuses is not stored.
      if (!dryRun) await this.schedules.enqueue(id, wanted);
      return NOTHING_MORE;
    }
    const same = (await listSchedules(tx)).find(
      ({ cron, timezone, overlap, when, goal }) =>
        canonical({ cron, timezone, overlap, when, goal }) === canonical(from),
    );
    if (same === undefined) return NOTHING_MORE;
    await this.schedules.delete(tx, by.name, same);
    return { ...NOTHING_MORE, afterwards: [() => this.schedules.unqueue(same.id)] };
  }

  async writeBrief(tx: Tx, { path, to }: WantedChange, options: WriteOptions): Promise<Written> {
    const by = options.by.name;
    const now = new Date();
    if (path[0] === 'schedules') {
      const daily = (to as FileOf<'schedules'>['brief'] | undefined) ?? { at: null, timezone: 'UTC' };
      await this.daily.write(tx, by, daily, now);
      return NOTHING_MORE;
    }
    await this.brief.writeRules(tx, by, (to as string | undefined) ?? '');
    return { ...NOTHING_MORE, afterwards: [() => this.brief.settle(now)] };
  }
}
