import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { HttpBroker } from '@aish/broker';
import type { Database } from '@aish/database/client';
import { openSuiteDatabase } from '@aish/database/testing/suite-database';
import { openChannels } from '@aish/database/notifications.repository';
import { createLogger } from '@aish/http';
import { KnowledgeService } from '../knowledge/knowledge.service.js';
import { BriefScheduleService } from './brief-schedule.service.js';
import { BriefWriter } from './brief-writer.js';
import { BriefService } from './brief.service.js';
import { InventoryService } from './inventory.service.js';

const DAY_MS = 86_400_000;
/** The schedule checks nothing by itself here. The tests call it. */
const NEVER = { briefLookEveryMs: DAY_MS };
const silent = createLogger('error', 'test', { write: () => undefined });
const morning = (day: number, time = '05:00:03') => new Date(Date.parse(`2026-05-01T${time}Z`) + day * DAY_MS);

describe('the schedule of the daily brief', () => {
  let db: Database;
  let apis: BriefScheduleService[];
  afterAll(async () => {
    await Promise.all((apis ?? []).map((api) => api.onModuleDestroy()));
  });
  openSuiteDatabase((opened) => (db = opened));
  beforeAll(async () => {
    const writer = new BriefWriter(new HttpBroker(), []);
    const inventory = new InventoryService(db, new KnowledgeService(db, null, silent), silent);
    const briefs = () => new BriefService(db, undefined, writer, inventory);
    apis = [0, 1].map(() => new BriefScheduleService(db, briefs(), NEVER, silent));
  }, 120_000);
  beforeEach(() => db.pool.query('truncate lab_schedule, notifications, notification_channels, hosts'));

  const look = (now: Date) => Promise.all(apis.map((api) => api.lookIfDue(now)));
  const set = (now: Date) => apis[0]?.set('ann', { at: '07:00', timezone: 'Europe/Berlin' }, now);
  const messages = async () => {
    const { rows } = await db.pool.query<{ channel: string; text: string }>(
      'select channel, text from notifications order by key, channel',
    );
    return rows.map(({ channel, text }) => `${channel}: ${text.split('\n')[0]}`);
  };

  it('a brief is due at its time in its time zone, and not before', async () => {
    await openChannels(db.statements, ['ntfy']);
    expect(await set(morning(0))).toMatchObject({ at: '07:00', nextAt: '2026-05-02T05:00:00.000Z', sentAt: null });
    await look(morning(0, '23:00:00'));
    await look(morning(1, '04:59:59'));
    expect(await messages()).toEqual([]);
    await look(morning(1));
    expect(await messages()).toHaveLength(1);
  });

  it('thirty quiet days bring one brief a week to each channel, even if two apis check', async () => {
    await openChannels(db.statements, ['ntfy', 'mail']);
    await set(morning(-1));
    for (let day = 0; day < 30; day += 1) {
      await look(morning(day));
      await look(morning(day, '05:00:18'));
    }
    expect(await messages()).toHaveLength(2 * 5);
    expect((await messages())[0]).toBe('mail: There are no hosts yet. Add one: aish host add nas nas.lan');
  });

  it('a brief that was missed is sent once, as soon as an api checks again', async () => {
    await openChannels(db.statements, ['ntfy']);
    await set(morning(-1));
    await look(morning(3, '12:00:00'));
    await look(morning(3, '12:00:15'));
    expect(await messages()).toHaveLength(1);
  });

  it('a brief is sent every morning while the hosts cannot be checked', async () => {
    await openChannels(db.statements, ['ntfy']);
    await db.pool.query(
      `insert into hosts (name, address, port, "user", login, created_by) values ('nas', 'nas.lan', 22, 'aish', 'certificate', 'ann')`,
    );
    await set(morning(-1));
    await look(morning(0));
    await look(morning(1));
    expect(await messages()).toEqual(Array(2).fill('ntfy: aish could not check your hosts.'));
  });

  it('no brief is sent after the schedule is turned off, or for the time before a new schedule', async () => {
    const [api] = apis;
    await set(morning(-1));
    expect(await api?.set('ann', { at: null, timezone: 'UTC' }, morning(0))).toMatchObject({ at: null, nextAt: null });
    await openChannels(db.statements, ['ntfy']);
    await look(morning(1));
    await set(morning(1, '12:00:00'));
    await look(morning(1, '12:00:15'));
    expect(await messages()).toEqual([]);
    await expect(api?.set('ann', { at: '07:00', timezone: 'Mars/Base' }, morning(0))).rejects.toThrow(/Mars/);
  });

  it('a brief is sent even if the clock was far ahead when the schedule was set', async () => {
    await openChannels(db.statements, ['ntfy']);
    await set(morning(400));
    await look(morning(0));
    await look(morning(1));
    expect(await messages()).toHaveLength(1);
  });
});
