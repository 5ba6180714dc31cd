import { Injectable } from '@nestjs/common';
import type { WantedChange } from '@aish/contracts/config-changes';
import { invariant } from '@aish/contracts/invariant';
import { AishError } from '@aish/contracts/problems';
import { listEventRules } from '@aish/database/event-sources.repository';
import { listSchedules } from '@aish/database/schedules.repository';
import type { Tx } from '@aish/database/tx';
import { EventsService } from '../events/events.service.js';
import { BriefScheduleService } from '../lab/brief-schedule.service.js';
import { BriefService } from '../lab/brief.service.js';
import { SchedulesService } from '../schedules/schedules.service.js';
import { NOTHING_WRITTEN, type EntryOf, type FileOf, type WriteOptions, type Written } from './written.js';

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
        `The event source ${name} exists with another kind of proof, which cannot be changed. Use another name`,
      );
    }
    if (change === 'remove') {
      await this.events.deleteSource(tx, by, name);
      return NOTHING_WRITTEN;
    }
    const source = to as EntryOf<FileOf<'events'>['sources']>;
    const { secret } = await this.events.insertSource(tx, by, { name, ...source });
    return { ...NOTHING_WRITTEN, sources: [{ name, secret }] };
  }

  async writeRule(tx: Tx, { change, path, to }: WantedChange, { by }: WriteOptions): Promise<Written> {
    if (change === 'add') {
      const wanted = await this.events.checkRule(by, to as FileOf<'events'>['rules'][number], tx);
      await this.events.insertRule(tx, by.name, wanted);
      return NOTHING_WRITTEN;
    }
    const rule = removed(await listEventRules(tx), path);
    await this.events.deleteRule(tx, by.name, rule.id);
    return NOTHING_WRITTEN;
  }

  async writeSchedule(tx: Tx, { change, path, to }: WantedChange, { by, dryRun }: WriteOptions): Promise<Written> {
    if (change === 'add') {
      const wanted = await this.schedules.check(by, to as FileOf<'schedules'>['goals'][number], tx);
      const id = await this.schedules.insert(tx, by.name, wanted);
      // A schedule that the queue refuses is not stored.
      if (!dryRun) await this.schedules.enqueue(id, wanted);
      return NOTHING_WRITTEN;
    }
    const schedule = removed(await listSchedules(tx), path);
    await this.schedules.delete(tx, by.name, schedule);
    return { ...NOTHING_WRITTEN, afterwards: [() => this.schedules.unqueue(schedule.id)] };
  }

  async writeBrief(tx: Tx, { path, to }: WantedChange, options: WriteOptions): Promise<Written> {
    const by = options.by.name;
    const now = new Date();
    if (path[0] === 'schedules') {
      const daily = (to as FileOf<'schedules'>['brief'] | undefined) ?? { at: null, timezone: 'UTC' };
      await this.daily.write(tx, by, daily, now);
      return NOTHING_WRITTEN;
    }
    await this.brief.writeRules(tx, by, (to as string | undefined) ?? '');
    return { ...NOTHING_WRITTEN, afterwards: [() => this.brief.settle(now)] };
  }
}

/** Returns the item of a list that is removed. Removals go from the end of a list to its beginning, so places stay valid. */
function removed<T>(items: readonly T[], path: WantedChange['path']): T {
  const item = items[Number(path.at(-1))];
  invariant(item !== undefined, 'a removed item is in its list');
  return item;
}
