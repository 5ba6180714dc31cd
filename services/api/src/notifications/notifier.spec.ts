import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { connectDatabase, type Database } from '@aish/database/client';
import { noteBrief } from '@aish/database/lab-schedule.repository';
import { createTestDatabase, type TestDatabase } from '@aish/database/testing';
import { createLogger } from '@aish/http';
import { openBus, type EventBus } from '@aish/queue';
import { EventHub } from '../sessions/event-hub.js';
import { insertHalt } from '../testing/decisions.fixture.js';
import type { Channel } from './channel.js';
import type { NotificationText } from './notification.js';
import { Presence } from './presence.js';
import { Notifier, type NotifierSettings } from './notifier.js';

const BRIEF = 'http://aish.example/app/#/lab';
const silent = createLogger('error', 'test', { write: () => undefined });

/** Simulates a phone that refuses its first `refusals` messages. */
class Phone implements Channel {
  readonly name = 'ntfy';
  readonly taken: NotificationText[] = [];
  tries = 0;

  constructor(private refusals = 0) {}

  async send(notification: NotificationText): Promise<void> {
    this.tries += 1;
    this.refusals -= 1;
    if (this.refusals >= 0) throw new Error('no signal');
    this.taken.push(notification);
  }

  close(): void {
    // There is nothing to close here.
  }
}

describe('Notifier', () => {
  let test: TestDatabase;
  let db: Database;
  let bus: EventBus;
  let hub: EventHub;
  const running: Notifier[] = [];

  beforeAll(async () => {
    test = await createTestDatabase();
    db = connectDatabase(test.url);
    bus = await openBus({ databaseUrl: test.url, onError: () => undefined });
    hub = new EventHub(bus);
    await hub.start();
  }, 60_000);
  afterEach(async () => {
    await Promise.all(running.splice(0).map((notifier) => notifier.stop()));
    await db.pool.query('truncate sessions, notification_channels cascade');
  });
  afterAll(async () => {
    await hub?.stop();
    await bus?.close();
    await db?.close();
    await test?.drop();
  });

  async function notify(phone: Phone, more: Partial<NotifierSettings> = {}): Promise<Notifier> {
    const notifier = new Notifier(
      db,
      hub,
      {
        channels: [phone],
        on: ['halt', 'done'],
        quietHours: null,
        presence: new Presence(),
        briefLink: BRIEF,
        linkTo: () => null,
        mayProceed: [],
        everyMs: 20,
        retryMinMs: 10,
        ...more,
      },
      silent,
    );
    running.push(notifier);
    await notifier.start();
    return notifier;
  }

  const halt = (): Promise<string> => insertHalt(db);

  async function until(what: () => boolean): Promise<void> {
    for (let n = 0; n < 500 && !what(); n += 1) await sleep(20);
    expect(what()).toBe(true);
  }

  const states = async (): Promise<unknown[]> => {
    const { rows } = await db.pool.query<{ state: string }>('select state from notifications order by created_at');
    return rows.map(({ state }) => state);
  };

  it('the notifier retries a notification until it is accepted, and then stops', async () => {
    const phone = new Phone(3);
    await notify(phone);
    await halt();
    await until(() => phone.taken.length === 1);
    await sleep(200);
    expect(phone.tries).toBe(4);
    expect(await states()).toEqual(['sent']);
  });

  it('two apis send each notification only once', async () => {
    const phone = new Phone();
    await Promise.all([notify(phone), notify(phone)]);
    for (let n = 0; n < 5; n += 1) await halt();
    await until(() => phone.taken.length >= 5);
    await sleep(200);
    expect(phone.taken).toHaveLength(5);
    expect(new Set(phone.taken.map(({ id }) => id)).size).toBe(5);
  });

  it('the notifier sends nothing for decisions that are older than the channel or already answered', async () => {
    await halt();
    await sleep(20);
    const phone = new Phone(1);
    await notify(phone, { retryMinMs: 300 });
    const id = await halt();
    await until(() => phone.tries === 1);
    await db.pool.query(`update decisions set state = 'withdrawn', decided_at = now() where id = $1`, [id]);
    await sleep(600);
    expect(phone.taken).toEqual([]);
    expect(await states()).toEqual(['dropped']);
  });

  it('a notification waits for the end of the quiet hours', async () => {
    const phone = new Phone();
    const now = new Date();
    const minute = now.getHours() * 60 + now.getMinutes();
    const quietHours = { from: (minute + 1439) % 1440, to: (minute + 60) % 1440 };
    await notify(phone, { quietHours });
    await halt();
    await sleep(300);
    expect(phone.tries).toBe(0);
    const { rows } = await db.pool.query<{ due_at: Date }>('select due_at from notifications');
    expect(rows[0]?.due_at.getTime()).toBeGreaterThan(Date.now() + 50 * 60_000);
  });

  it('only urgent notifications are sent in quiet hours, and one message afterwards covers the others', async () => {
    const phone = new Phone();
    const now = new Date();
    const minute = now.getHours() * 60 + now.getMinutes();
    const quietHours = { from: (minute + 1439) % 1440, to: (minute + 60) % 1440 };
    let later = 0;
    const clock = (): Date => new Date(Date.now() + later);
    await notify(phone, { quietHours, clock });
    await halt();
    await halt();
    const urgent = await halt();
    await db.pool.query(`update goals set priority = 'high' where id = (select goal_id from decisions where id = $1)`, [
      urgent,
    ]);
    await until(() => phone.taken.length === 1);
    await sleep(200);
    expect(phone.taken).toMatchObject([{ kind: 'halt' }]);
    later = 61 * 60_000;
    await until(() => phone.taken.length > 1);
    await sleep(200);
    expect(phone.taken.slice(1)).toMatchObject([
      { kind: 'brief', title: 'aish: 2 notifications from the quiet hours', link: BRIEF },
    ]);
    expect(phone.taken[1]?.text.split('\n')).toHaveLength(2);
    expect(await states()).toEqual(['sent', 'sent', 'sent']);
  });

  it('with on-change, the notifier reports a finished goal of a schedule only if its result differs from the last', async () => {
    const [schedule] = (
      await db.pool.query<{ id: string }>(
        `insert into schedules (id, cron, timezone, overlap, report_when, goal, created_by)
         values (gen_random_uuid(), '0 3 * * *', 'UTC', 'skip', 'changed', '{"text":"look"}', 'admin') returning id`,
      )
    ).rows;
    const phone = new Phone();
    await notify(phone);
    const ended = async (summary: string) => {
      const session = randomUUID();
      await db.pool.query(`insert into sessions (id, kind, title) values ($1, 'goal', 'g')`, [session]);
      await db.pool.query(
        `insert into goals (id, session_id, text, preset, state, step_budget, created_by, schedule_id, summary, ended_at)
         values (gen_random_uuid(), $1, 'look', 'fast', 'done', 16, 'admin', $2, $3, now())`,
        [session, schedule?.id, summary],
      );
    };
    const settled = async (count: number) => {
      for (const deadline = Date.now() + 20_000; Date.now() < deadline; await sleep(20)) {
        const { rows } = await db.pool.query(`select 1 from notifications where state in ('sent', 'dropped')`);
        if (rows.length === count) return;
      }
      throw new Error(`not ${count} settled within 20 s`);
    };
    await ended('2 disks, at 03:00');
    await settled(1);
    await ended('2 disks, at 03:01');
    await settled(2);
    await ended('3 disks, at 03:02');
    await settled(3);
    expect(phone.taken.map(({ text }) => text.split('\n').at(-1))).toEqual(['2 disks, at 03:00', '3 disks, at 03:02']);
  });

  it('the notifier sends a brief with a link to its page, even if the brief is older than the notifier', async () => {
    await db.pool.query(`insert into notification_channels (name) values ('ntfy')`);
    await noteBrief(db.statements, new Date(), '1 thing needs your attention on 1 host.\ndisk-nas-1: / on nas is full');
    const phone = new Phone(1);
    await Promise.all([notify(phone), notify(phone)]);
    await until(() => phone.taken.length > 0);
    await sleep(300);
    expect(phone.taken).toEqual([
      expect.objectContaining({ kind: 'brief', goal: null, text: '- disk-nas-1: / on nas is full', link: BRIEF }),
    ]);
  });
});
