import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openWorld, type World } from '@aish/actions/testing';
import { UNKNOWN_CAPABILITIES } from '@aish/contracts/models';
import type { ShownTurn } from '@aish/contracts/sessions';
import { listTurns } from '@aish/database/turns.repository';
import { asCalls, dialectOf } from './action-tools.js';
import { beginChat } from './testing/begin-chat.js';
import { beginGoal } from './testing/begin-goal.js';

const call = (name: string, args: object) => ({ name, arguments: JSON.stringify(args) });
const EDIT = "aish-edit 'a' 3<<'OLD' 4<<'NEW'\nb\nOLD\nc\nNEW";

/** The names of aish's own tools in a request. */
const namesIn = (tools: unknown): readonly string[] =>
  [...JSON.stringify(tools).matchAll(/"name":"(\w+)"/g)]
    .map((match) => match[1] ?? '')
    .filter((name) => !name.includes('_'));

describe('actions as tools', () => {
  let world: World;

  beforeAll(async () => {
    world = await openWorld();
  }, 120_000);
  afterAll(() => world?.close());
  beforeEach(async () => {
    world.sandbox.ran.length = 0;
    world.last = 'GOAL: complete\nDone.';
    await world.capabilityStore.learn(world.preset, { actsWith: 'tools', nativeTools: true }, 'tools');
  });

  const lastBody = () => world.model.requests.at(-1)?.body;
  const lastMessages = () => world.model.requests.at(-1)?.messages ?? [];

  it('a model that acts with tools gets the actions as tools, and its calls run like command lines', async () => {
    world.answers = [
      { text: 'I look.', toolCalls: [call('run', { command: 'ls -la' })] },
      { text: '', toolCalls: [call('edit', { path: 'a', old: 'b', new: 'c' })] },
      { text: '', toolCalls: [call('write', { path: 'd/e', text: 'f' })] },
      { text: '', toolCalls: [call('finish', { answer: 'Three files.' })] },
    ];
    const goal = await beginGoal(world);
    await goal.run();
    // Both calls replace the content of a file, and this sandbox cannot undo that.
    expect(world.sandbox.ran).toEqual(['ls -la']);
    for (const _ of ['edit', 'write']) {
      await goal.decide('proceed');
      await goal.run();
    }
    expect(world.sandbox.ran).toEqual(['ls -la', EDIT, "mkdir -p -- 'd' && cat > 'd/e' <<'END'\nf\nEND"]);
    const turns = await listTurns(world.db.statements, goal.sessionId);
    expect(turns.filter(({ role }) => role === 'assistant').map(({ content }) => content)).toEqual([
      'I look.\nCMD: ls -la',
      `CMD: ${EDIT}`,
      "CMD: mkdir -p -- 'd' && cat > 'd/e' <<'END'\nf\nEND",
      'GOAL: complete\nThree files.',
    ]);
    const body = lastBody();
    expect(namesIn(body?.['tools'])).toEqual(['run', 'edit', 'write', 'finish', 'ask']);
    expect(lastMessages()[0]?.content).not.toMatch(/CMD:|GOAL: complete/);
    expect(lastMessages().slice(2)).toMatchObject([
      { role: 'assistant', content: 'I look.', tool_calls: [{ function: { name: 'run' } }] },
      { role: 'tool', content: expect.stringMatching(/^exit code 0\n/), name: 'run' },
      { role: 'assistant', tool_calls: [{ function: { arguments: '{"path":"a","old":"b","new":"c"}' } }] },
      { role: 'tool', name: 'edit' },
      { role: 'user', content: '[aish] action approved' },
      { role: 'assistant', tool_calls: [{ function: { arguments: '{"path":"d/e","text":"f\\n"}' } }] },
      { role: 'tool', name: 'write' },
      { role: 'user', content: '[aish] action approved' },
    ]);
  });

  it('the gate judges a tool call in the same way as a command line', async () => {
    world.answers = [{ text: '', toolCalls: [call('run', { command: 'rm -rf /workspace/x' })] }];
    const goal = await beginGoal(world);
    await goal.run();
    expect(world.sandbox.ran).toEqual([]);
    await goal.decide('skip');
    await goal.run();
    expect(JSON.stringify(lastMessages())).toContain('action skipped by user');
  });

  it('notices to a model that calls tools explain tool calls and never mention CMD: lines', async () => {
    world.answers = [
      { text: '', toolCalls: [call('edit', { path: 'a' })] },
      { text: 'I will look.' },
      { text: '', toolCalls: [call('finish', { answer: '' })] },
    ];
    const goal = await beginGoal(world);
    await goal.run();
    const sent = JSON.stringify(lastMessages());
    expect(sent).toMatch(/The call was not made: .*edit takes: /);
    expect(sent).toMatch(/Go on with a call of run, edit or write/);
    expect(sent).toMatch(/call finish again, with what you found/);
    expect(sent).not.toContain('CMD: ');
  });

  it('a tool call that was cut off never runs', async () => {
    world.answers = [{ text: '', toolCalls: [call('run', { command: 'rm -rf /workspace/o' })], finish: 'length' }];
    const goal = await beginGoal(world);
    await goal.run();
    expect(world.sandbox.ran).toEqual([]);
    expect(JSON.stringify(lastMessages())).toContain('cut inside a command');
  });

  it('command lines of a model that calls tools still run', async () => {
    world.answers = [{ text: 'CMD: ls -la' }];
    const goal = await beginGoal(world);
    await goal.run();
    expect(world.sandbox.ran).toEqual(['ls -la']);
  });

  it('a model is asked without tools once its endpoint fails to parse the output of the model', async () => {
    const unread = {
      status: 500,
      body: { error: { code: 500, message: 'Failed to parse input at pos 3: <x', type: 'server_error' } },
    };
    const failing = await openWorld((messages) => {
      const isInLines = JSON.stringify(messages[0]?.content).includes('CMD: ls -la');
      if (!isInLines) return unread;
      return { text: messages.some(({ role }) => role === 'assistant') ? 'GOAL: complete\nDone.' : 'CMD: ls -la' };
    });
    await failing.capabilityStore.learn(failing.preset, { actsWith: 'tools' }, 'tools');
    const goal = await beginGoal(failing);
    await goal.run();
    expect(failing.sandbox.ran).toEqual(['ls -la']);
    expect(failing.model.requests.map(({ body }) => body['tools'] !== undefined).slice(0, 2)).toEqual([true, false]);
    await failing.close();
  });

  it('a chat does not offer the tool "finish", but a model may call it without an error', async () => {
    world.answers = [
      { text: '', toolCalls: [call('run', { command: 'ls -la' })] },
      { text: '', toolCalls: [call('finish', { answer: 'Three files.' })] },
    ];
    const chat = await beginChat(world);
    await chat.run();
    expect(world.sandbox.ran).toEqual(['ls -la']);
    expect(namesIn(lastBody()?.['tools'])).toEqual(['run', 'edit', 'write']);
  });
});

describe('asCalls', () => {
  const turns: readonly ShownTurn[] = [
    { seq: 1, role: 'user', content: 'do it' },
    { seq: 2, role: 'assistant', content: 'Both.\nCMD: ls\nCMD: ls' },
    { seq: 3, role: 'output', content: '[exec] $ ls\nexit code 0\n| a' },
    { seq: 4, role: 'output', content: '[exec] $ ls\nexit code 0\n| b' },
    { seq: 5, role: 'assistant', content: 'GOAL: ask Which one?' },
    { seq: 6, role: 'notice', content: '[aish] The user answers:\nthe first' },
  ];

  it('asCalls gives each result to its own call', () => {
    const shown = asCalls(turns);
    expect(shown.map(({ content }) => content)).toEqual([
      'do it',
      'Both.',
      'exit code 0\n| a',
      'exit code 0\n| b',
      '',
      '[aish] The user answers:\nthe first',
    ]);
    const ids = shown.flatMap(({ meta }) => meta?.toolCalls?.map(({ id }) => id) ?? []);
    expect(shown.flatMap(({ meta }) => meta?.toolCallId ?? [])).toEqual(ids);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[a-z0-9]{9}$/);
  });

  it("asCalls only adds messages at the end, so that the endpoint's cache stays valid", () => {
    for (let count = 1; count <= turns.length; count += 1) {
      if (turns[count]?.role !== 'assistant') continue;
      expect(asCalls(turns).slice(0, count)).toEqual(asCalls(turns.slice(0, count)));
    }
  });
});

it.each([
  ['lines', {}],
  ['lines', { actsWith: 'lines' }],
  ['tools', { actsWith: 'tools' }],
  ['lines', { actsWith: 'tools', nativeTools: false }],
  ['lines', { actsWith: 'tools', toolRole: false }],
] as const)('a model acts with %s if its capabilities are %j', (dialect, known) => {
  expect(dialectOf({ ...UNKNOWN_CAPABILITIES, ...known })).toBe(dialect);
});
