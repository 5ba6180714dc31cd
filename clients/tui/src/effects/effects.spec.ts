import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { textOf } from '@aish/views/line';
import { MetaRunner } from '../meta/meta-runner.js';
import { ApiClient } from '@aish/client/api.client';
import { EXIT } from '@aish/client/exit-codes';
import type { Effect, Msg } from '../messages.js';
import { goalOf, sessionOf, uuid } from '@aish/client/testing/fixtures';
import { json, problem, startScriptedServer, stream, type ScriptedServer } from '@aish/client/testing/scripted.server';
import { InputHistory } from '../input-history.js';
import { Effects } from './effects.js';

const session = sessionOf(5);
const events = `GET /v1/sessions/${session.id}/events`;
const messages = `POST /v1/sessions/${session.id}/messages`;

describe('effects of the terminal UI', () => {
  let server: ScriptedServer;
  let effects: Effects;
  let told: Msg[];
  let faults: unknown[];
  let folder: string;

  beforeEach(async () => {
    server = await startScriptedServer();
    folder = await mkdtemp(join(tmpdir(), 'aish-effects-'));
    await writeFile(join(folder, 'token'), 't');
    const config = { AISH_URL: server.url, AISH_TOKEN_FILE: join(folder, 'token'), XDG_CONFIG_HOME: folder };
    told = [];
    faults = [];
    const unused = (): never => {
      throw new Error('not of this spec');
    };
    effects = new Effects(
      new ApiClient({ baseUrl: server.url, readToken: () => Promise.resolve('t') }),
      {
        history: new InputHistory(join(folder, 'history')),
        meta: new MetaRunner(config, [], (words, { stdout }) => {
          stdout.write(`${words.join(' ')}\n`);
          return Promise.resolve(EXIT.ok);
        }),
        copy: unused,
        redraw: unused,
        edit: unused,
        quit: unused,
        setUp: unused,
      },
      (msg) => {
        told.push(msg);
        // This reacts as update() does.
        if (msg.type === 'chatOpened') effects.run({ type: 'followSession', place: 'chat', sessionId: msg.session.id });
      },
      (fault) => faults.push(fault),
    );
  });

  afterEach(async () => {
    effects.close();
    await server.close();
    await rm(folder, { recursive: true });
    if (faults.length > 0) throw new AggregateError(faults, 'an effect threw');
  });

  /** Returns the first message of a type that an effect causes. */
  async function answerTo<T extends Msg['type']>(effect: Effect, type: T): Promise<Extract<Msg, { type: T }>> {
    effects.run(effect);
    for (let tries = 0; ; tries += 1) {
      const found = told.find((msg): msg is Extract<Msg, { type: T }> => msg.type === type);
      if (found !== undefined) return found;
      expect(tries).toBeLessThan(500);
      await sleep(10);
    }
  }

  const paths = () => server.requests.map(({ method, path }) => `${method} ${path}`);

  it('the first message of a chat is sent after its stream is open, so that no text is missed', async () => {
    server.on('POST /v1/sessions', json(session, 201));
    server.on(events, async (response, request) => {
      await sleep(200);
      await stream([], 'stay')(response, request);
    });
    server.on(messages, stream([], 'end'));
    effects.run({ type: 'sendMessage', sessionId: null, preset: 'fast', text: 'hello' });
    for (let tries = 0; paths().length < 2 && tries < 500; tries += 1) await sleep(10);
    expect(paths()).toEqual(['POST /v1/sessions', events]);
    for (let tries = 0; !paths().includes(messages) && tries < 500; tries += 1) await sleep(10);
    expect(paths()).toEqual(['POST /v1/sessions', events, messages]);
  });

  it('a message is sent even if the stream of its chat cannot be opened', async () => {
    server.on('POST /v1/sessions', json(session, 201));
    server.on(events, problem(404, 'not_found', 'no'));
    server.on(messages, stream([], 'end'));
    effects.run({ type: 'sendMessage', sessionId: null, preset: 'fast', text: 'hello' });
    for (let tries = 0; !paths().includes(messages) && tries < 500; tries += 1) await sleep(10);
    expect(paths()).toContain(messages);
  });

  it('a message or a goal with a suspected secret is sent with a warning', async () => {
    const secret = ['ghp', 'aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789'].join('_');
    server.on(events, stream([], 'stay'));
    server.on(messages, stream([], 'end'));
    server.on('POST /v1/goals', json(goalOf(4), 201));
    const text = `push with ${secret}`;
    const typed = await answerTo({ type: 'sendMessage', sessionId: session.id, preset: 'fast', text }, 'said');
    expect(typed.text).toBe(
      'Your message looks like it contains github token. Models will see it, and it stays in the history.',
    );
    told = [];
    expect(await answerTo({ type: 'createGoal', text }, 'said')).toMatchObject({
      text: expect.stringMatching(/^The goal looks like it contains github token/),
      style: 'warn',
    });
    expect(server.requests.filter(({ body }) => body.includes(secret))).toHaveLength(2);
    told = [];
    await answerTo({ type: 'createGoal', text: 'Password login is off.' }, 'goalCreated');
    await sleep(200);
    expect(told.map(({ type }) => type)).not.toContain('said');
  });

  it('a message that the server refuses returns to the prompt', async () => {
    server.on(messages, problem(409, 'busy', 'it answers still'));
    const refused = await answerTo(
      { type: 'sendMessage', sessionId: session.id, preset: 'fast', text: 'hello' },
      'messageRefused',
    );
    expect([refused.text, refused.error.code]).toEqual(['hello', 'busy']);
  });

  it('an effect delivers the response or the refusal of its request as a message', async () => {
    server.on(`POST /v1/goals/${uuid(4)}/cancel`, json(goalOf(4, { state: 'aborted' })));
    expect((await answerTo({ type: 'cancelGoal', goalId: uuid(4) }, 'goalCancelled')).goal.number).toBe(4);
    server.on(`POST /v1/goals/${uuid(4)}/cancel`, problem(409, 'goal_ended', 'it has ended'));
    expect((await answerTo({ type: 'cancelGoal', goalId: uuid(4) }, 'refused')).error.code).toBe('goal_ended');
  });

  it('the undo preview of a command offers the undo and the preview of the previous command', async () => {
    const nth = (n: number) => ({
      actionId: uuid(n),
      sizeBytes: 1,
      createdAt: session.createdAt,
      stepNumber: n,
      command: `rm ${n}`,
    });
    server.on(`GET /v1/sessions/${session.id}/snapshots`, json({ items: [nth(3), nth(2)] }));
    const shown = await answerTo({ type: 'previewUndo', sessionId: session.id, nth: 0 }, 'metaDone');
    expect(shown.lines.map(textOf)).toEqual(['rm 3', `undo ${uuid(3)} --dry-run`]);
    expect([shown.yes, shown.older]).toMatchObject([
      { words: ['undo', uuid(3), '--yes'] },
      { type: 'previewUndo', nth: 1 },
    ]);
    const nothing = await answerTo({ type: 'previewUndo', sessionId: session.id, nth: 2 }, 'said');
    expect(nothing.text).toBe('there is nothing to undo');
  });

  it('the page of changes shows all changes of a command, even if the server sends them in parts', async () => {
    const path = `GET /v1/actions/${uuid(3)}/changes`;
    const page = (name: string, next: string | null) =>
      json({ items: [{ kind: 'deleted', path: name, bytes: 1 }], next, total: 2, complete: true });
    server.on(path, page('a', '1'), page('b\n', null));
    const effect = { type: 'pageChanges', actionIds: [uuid(3), uuid(2)], nth: 0 } as const;
    const shown = await answerTo(effect, 'metaDone');
    expect([shown.title, ...shown.lines.map(textOf)]).toEqual(['its changes to 2 files', '− a', '− b⟨U+000A⟩']);
    expect(server.requests.at(-1)?.path).toMatch(/&cursor=1$/);
    expect([shown.isPage, shown.older]).toEqual([true, { ...effect, nth: 1 }]);
    server.on(path, problem(410, 'changes_not_kept', 'its layer has been merged'));
    expect((await answerTo(effect, 'refused')).error.code).toBe('changes_not_kept');
  });

  it('suggestions after @ contain files and goals even if the list of hosts cannot be read', async () => {
    const files = `GET /v1/sessions/${session.id}/files`;
    const file = { type: 'file', sizeBytes: 1, modifiedAt: '2026-01-01T00:00:00.000Z', target: null };
    const items = [
      { ...file, name: 'a.txt' },
      { ...file, name: 'two words' },
      { ...file, name: 'old', type: 'folder' },
    ];
    server.on('GET /v1/hosts', problem(403, 'forbidden', 'no'));
    server.on(files, json({ path: 'logs', items, isCut: false }));
    const goals = [{ text: 'g4', about: 'tidy up' }];
    const asked = { sessionId: session.id, folder: 'logs/', goals, from: 3, text: 'in @logs/' };
    const first = await answerTo({ type: 'suggestNames', ...asked }, 'suggested');
    expect([first.items.map(({ text }) => text), first.isPartial]).toEqual([['@g4'], true]);
    while (told.length < 2) await sleep(10);
    const [, second] = told;
    const { items: found, ...rest } = second as typeof first;
    expect(found.map(({ text }) => text)).toEqual(['@logs/a.txt', '@logs/old/', '@g4']);
    expect(rest).toEqual({ type: 'suggested', from: 3, text: 'in @logs/' });
  });

  it('the effect seeSession loads the session of a decision', async () => {
    server.on(`GET /v1/sessions/${session.id}`, json(session));
    const seen = await answerTo({ type: 'seeSession', sessionId: session.id }, 'sessionSeen');
    expect(seen.session.number).toBe(5);
  });

  it('each place of the screen follows only its latest session', async () => {
    const other = sessionOf(6);
    server.on(events, stream([], 'stay'));
    server.on(`GET /v1/sessions/${other.id}/events`, stream([], 'stay'));
    effects.run({ type: 'followSession', place: 'goal', sessionId: session.id });
    effects.run({ type: 'followSession', place: 'goal', sessionId: other.id });
    const opened = await answerTo({ type: 'followSession', place: 'chat', sessionId: null }, 'feedTrouble');
    expect(opened).toEqual({ type: 'feedTrouble', sessionId: other.id, text: null });
    expect(paths()).toEqual([`GET /v1/sessions/${other.id}/events`]);
  });
});
