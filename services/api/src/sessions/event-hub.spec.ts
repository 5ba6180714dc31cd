import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@aish/database/testing';
import type { LiveBody } from '@aish/contracts/events';
import { openBus, type EventBus } from '@aish/queue';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EventHub, type HubMessage } from './event-hub.js';

describe('EventHub', () => {
  let database: TestDatabase;
  let buses: EventBus[];
  let here: EventHub;
  let there: EventHub;
  let heardOnBus: string[];

  const onError = (error: unknown) => {
    throw error;
  };
  const until = async (isTrue: () => boolean): Promise<void> => {
    while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 10));
  };

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  beforeEach(async () => {
    buses = await Promise.all([1, 2, 3].map(() => openBus({ databaseUrl: database.url, onError })));
    const [first, second, third] = buses;
    if (first === undefined || second === undefined || third === undefined) throw new Error('no bus');
    here = new EventHub(first);
    there = new EventHub(second);
    heardOnBus = [];
    await here.start();
    await there.start();
    await third.subscribe(
      (notice) => heardOnBus.push(notice.type),
      () => undefined,
    );
  });
  afterEach(async () => {
    await here.stop();
    await there.stop();
    await Promise.all(buses.map((bus) => bus.close()));
  });

  const words = (text: string) => ({ type: 'answer.delta' as const, exchange: 1, step: 1, text });
  const textOf = (received: readonly HubMessage[]): string =>
    received
      .map((each) => (each !== 'gap' && each.type === 'live' && 'text' in each.body ? each.body.text : ''))
      .join('');

  it('live text reaches listeners in another process as soon as there are any', async () => {
    const session = randomUUID();
    const received: HubMessage[] = [];
    const stop = there.listenTo(session, (each) => received.push(each));
    await until(() => heardOnBus.includes('watch'));
    // Each process is told over its own connection, perhaps at a different time.
    await until(() => {
      here.live(session, words('a'));
      return textOf(received) !== '';
    });
    here.live(session, words('z'));
    await until(() => textOf(received).endsWith('z'));
    expect(textOf(received)).toMatch(/^a+z$/);
    stop();
  });

  it('a listener that joins during an answer gets the beginning of the answer, in every process', async () => {
    const session = randomUUID();
    const long = 'word '.repeat(1_000);
    here.live(session, words(long));
    here.live(session, words('a'));
    const draft = { type: 'answer.draft', exchange: 1, step: 1, text: `${long}a`, reasoning: '' };
    expect(here.draft(session)).toEqual(draft);
    const received: LiveBody[] = [];
    there.listenTo(session, (each) => void (each !== 'gap' && each.type === 'live' && received.push(each.body)));
    await until(() => received.length > 0);
    here.live(session, words('z'));
    await until(() => received.length > 1);
    // The draft arrived in pieces and is forwarded as a whole, so a client that ignores drafts prints nothing twice.
    expect(received).toEqual([draft, words('z')]);
    expect(there.draft(session)).toEqual({ ...draft, text: `${long}az` });
  });

  it('the draft of an answer is dropped once the answer is recorded or requested again', async () => {
    const session = randomUUID();
    here.live(session, words('a'));
    here.live(session, { type: 'answer.retry', exchange: 1, step: 1, reason: 'again: it was empty', delayMs: 0 });
    expect(here.draft(session)).toBeNull();
    here.live(session, words('b'));
    const started = { exchange: 1, step: 2, preset: 'fast', fallbackFrom: null };
    const body = { type: 'answer.started' as const, ...started };
    here.recorded(session, [{ seq: 1, sessionId: session, at: new Date().toISOString(), body }]);
    expect(here.draft(session)).toBeNull();
    here.live(session, words('c'));
    const end = { type: 'exchange.ended' as const, exchange: 1, end: 'stopped' as const, trouble: null };
    here.recorded(session, [{ seq: 2, sessionId: session, at: new Date().toISOString(), body: end }]);
    expect(here.draft(session)).toBeNull();
    await until(() => heardOnBus.filter((type) => type === 'events').length === 2);
  });

  it('live text reaches local listeners without the bus if no other process listens', async () => {
    const session = randomUUID();
    const received: HubMessage[] = [];
    here.listenTo(session, (each) => received.push(each), true);
    for (const each of 'abc') here.live(session, words(each));
    const body = { type: 'exchange.ended' as const, exchange: 1, end: 'answered' as const, trouble: null };
    here.recorded(session, [{ seq: 1, sessionId: session, at: new Date().toISOString(), body }]);
    await until(() => heardOnBus.includes('events'));
    expect(textOf(received)).toBe('abc');
    expect(heardOnBus).toEqual(['events']);
  });
});
