import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openWorld, type World } from '@aish/actions/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { SessionEvent } from '@aish/contracts/events';
import { findChat, insertChat } from '@aish/database/chats.repository';
import { listActions } from '@aish/database/steps.repository';
import { insertToken } from '@aish/database/tokens.repository';
import { inTransaction } from '@aish/database/transaction';
import { listTurns } from '@aish/database/turns.repository';
import { ChatRunner } from './chat-runner.js';

describe('ChatRunner', () => {
  let world: World;
  let runner: ChatRunner;
  let published: SessionEvent[];
  let failures: unknown[];

  beforeAll(async () => {
    world = await openWorld();
  }, 120_000);
  afterAll(() => world?.close());
  beforeEach(() => {
    world.last = 'Well.';
    world.answers = [];
    published = [];
    failures = [];
    runner = open();
  });
  afterEach(async () => {
    await runner.shutdown();
    if (failures.length > 0) throw failures[0];
  });

  function open(): ChatRunner {
    const { ports, preset } = world;
    return new ChatRunner(
      {
        ...ports,
        autoApproves: () => true,
        outlet: { events: (_, events) => published.push(...events), live: () => undefined },
        background: (_, message) => () => Promise.resolve(message === 'remember' ? '[background] likes tea' : null),
        onError: (error) => failures.push(error),
      },
      {
        presets: [preset],
        commandTimeoutMs: 10_000,
        elicitationWaitMs: 10_000,
        followUps: { autoContinue: true, confirmCommands: false },
        toolShare: 0.1,
        maxToolDepth: 3,
        maxChatSteps: 24,
        trustMax: 'undoable',
        confirmReads: true,
        readsGoOn: true,
        grants: true,
      },
    );
  }
  async function chat(settings: { readonly confirmCommands?: boolean } = {}) {
    const [sessionId, tokenId] = [randomUUID(), randomUUID()];
    const all = { autoContinue: true, confirmCommands: false, forkedFrom: null, ...settings };
    await inTransaction(world.db, async (tx) => {
      await insertChat(tx, { id: sessionId, owner: 'p', title: null, preset: 'fast', ...all });
      await insertToken(tx, { id: tokenId, name: tokenId, hash: tokenId, scopes: ['operate'] });
    });
    return { sessionId, send: (text: string) => runner.send({ sessionId, owner: 'p', goalId: null }, text, tokenId) };
  }
  const stateOf = async (sessionId: string) => (await findChat(world.db.statements, sessionId))?.state;
  async function until(sessionId: string, state: string): Promise<void> {
    for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(20)) {
      if ((await stateOf(sessionId)) === state) return;
    }
    throw new Error(`not ${state} within 30 s`);
  }
  const ends = () => published.flatMap(({ body }) => (body.type === 'exchange.ended' ? [body.end] : []));

  it('a chat answers a message with events in order, and shows the memory to the model', async () => {
    const { sessionId, send } = await chat();
    const { seq, exchange } = await send('remember');
    await until(sessionId, 'idle');
    await runner.shutdown();
    expect([seq, exchange]).toEqual([1, 1]);
    expect(published.map(({ body }) => body.type)).toEqual([
      'message.received',
      'answer.started',
      'answer.ended',
      'exchange.ended',
    ]);
    expect(published.map((event) => event.seq)).toEqual([1, 2, 3, 4]);
    expect(world.model.requests.at(-1)?.messages[0]?.content).toContain('likes tea');
  });

  it('a message is refused if the chat is busy, the token is wrong, or the session does not exist', async () => {
    world.last = 'x'.repeat(4_000);
    const { sessionId, send } = await chat();
    await send('one');
    await expect(send('two')).rejects.toMatchObject({ code: 'busy' });
    await until(sessionId, 'idle');
    const context = { sessionId, owner: 'p', goalId: null };
    await expect(runner.send(context, 'three', randomUUID())).rejects.toMatchObject({ code: 'unauthorized' });
    const other = await chat();
    const nowhere = { ...context, sessionId: randomUUID() };
    await other.send('hello');
    await until(other.sessionId, 'idle');
    await expect(runner.send(nowhere, 'four', randomUUID())).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('a stopped answer is saved up to that point, and the chat accepts the next message', async () => {
    world.answers = [
      { text: Array.from({ length: 2_000 }, (_, n) => (n < 2 ? 'word' : `word${n}`)).join(' '), delayMs: 20 },
    ];
    const { sessionId, send } = await chat();
    await send('slowly');
    await sleep(300);
    expect(await runner.stop(sessionId, 'ann')).toBe(true);
    expect(ends()).toEqual(['stopped']);
    const turns = await listTurns(world.db.statements, sessionId);
    expect(turns.at(-1)).toMatchObject({ role: 'assistant', meta: { end: 'stopped' } });
    expect(turns.at(-1)?.content).toMatch(/^word word/);
    expect(await runner.stop(sessionId, 'ann')).toBe(false);
    await send('again');
    await until(sessionId, 'idle');
    expect(ends()).toEqual(['stopped', 'answered']);
  });

  it('an open decision is withdrawn when a person stops the chat or sends another message', async () => {
    world.answers = [{ text: 'CMD: echo one' }];
    const stopped = await chat({ confirmCommands: true });
    await stopped.send('do it');
    await until(stopped.sessionId, 'deciding');
    expect(await runner.stopWaiting(stopped.sessionId, 'ann')).toBe(true);
    expect(await runner.stopWaiting(stopped.sessionId, 'ann')).toBe(false);
    const overtaken = await chat({ confirmCommands: true });
    await overtaken.send('do it');
    await until(overtaken.sessionId, 'deciding');
    await overtaken.send('never mind');
    await until(overtaken.sessionId, 'idle');
    for (const { sessionId } of [stopped, overtaken]) {
      expect(await listActions(world.db.statements, sessionId)).toMatchObject([{ state: 'skipped' }]);
    }
    expect(published.filter(({ body }) => body.type === 'decision.withdrawn')).toHaveLength(2);
    expect(world.sandbox.ran).toEqual([]);
  });

  it('a chat that confirms commands asks before each one, even if it is safe', async () => {
    world.answers = [{ text: 'CMD: echo one' }];
    const { sessionId, send } = await chat({ confirmCommands: true });
    await send('do it');
    await until(sessionId, 'deciding');
    const asked = published.flatMap(({ body }) => (body.type === 'decision.requested' ? [body] : []));
    expect(asked).toMatchObject([{ kind: 'command', reason: 'the model proposes a command', action: 'echo one' }]);
  });

  it('the runner takes over an orphaned chat once it has not changed for a while', async () => {
    world.answers = [{ text: 'CMD: echo one' }];
    const { sessionId, send } = await chat();
    world.last = 'Done.';
    await runner.shutdown();
    await expect(send('do it')).rejects.toMatchObject({ code: 'service_stopping' });
    runner = open();
    await inTransaction(world.db, async (tx) => {
      await tx.$executeRaw`insert into steps (session_id, n) values (${sessionId}::uuid, 1)`;
      await tx.$executeRaw`insert into turns (session_id, seq, role, provenance, content)
        values (${sessionId}::uuid, 1, 'user', 'person', 'x')`;
      await tx.$executeRaw`update sessions set turn_seq = 1 where id = ${sessionId}::uuid`;
      await tx.$executeRaw`update chats set state = 'running', exchange = 1, rounds = 1 where session_id = ${sessionId}::uuid`;
    });
    await runner.sweep();
    expect(await stateOf(sessionId)).toBe('running');
    await world.db.pool.query(`update chats set updated_at = now() - interval '1 minute' where session_id = $1`, [
      sessionId,
    ]);
    await runner.sweep();
    await until(sessionId, 'idle');
    expect(await listActions(world.db.statements, sessionId)).toMatchObject([{ state: 'finished' }]);
    expect(ends()).toEqual(['answered']);
  });

  it('an unexpected error ends the exchange and its actions, and the chat answers the next message', async () => {
    const { sessionId, send } = await chat();
    world.answers = [{ text: 'CMD: echo one' }];
    const { sandbox } = world;
    const run = sandbox.run.bind(sandbox);
    sandbox.run = () => {
      throw new TypeError('nobody foresaw this');
    };
    await send('do it');
    await until(sessionId, 'idle');
    sandbox.run = run;
    await runner.shutdown();
    expect(failures).toMatchObject([{ message: 'nobody foresaw this' }]);
    failures = [];
    expect(published.at(-1)?.body).toMatchObject({
      type: 'exchange.ended',
      end: 'failed',
      trouble: { code: 'internal' },
    });
    expect(await listActions(world.db.statements, sessionId)).toMatchObject([{ state: 'lost' }]);
    runner = open();
    await send('once more');
    await until(sessionId, 'idle');
    expect(published.at(-1)?.body).toMatchObject({ type: 'exchange.ended', end: 'answered' });
  });

  it('a chat stops with a notice after it has asked the model MAX_TOOL_DEPTH times for one message', async () => {
    world.answers = Array.from({ length: 3 }, (_, n) => ({ text: `CMD: echo ${n}` }));
    const { sessionId, send } = await chat();
    await send('on and on');
    await until(sessionId, 'idle');
    await runner.shutdown();
    expect(ends()).toEqual(['depth']);
    expect(published.filter(({ body }) => body.type === 'answer.ended')).toHaveLength(3);
    const turns = await listTurns(world.db.statements, sessionId);
    expect(turns.at(-1)?.content).toBe('[aish] tool-call depth limit reached');
  });
});
