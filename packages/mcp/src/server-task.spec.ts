import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openTask, withAnswer, type PendingTask, type ToolResult } from '@aish/contracts/tools';
import type { McpRegistry } from './registry.js';
import { NEVER, callOf, eventually, httpServer, registryOf } from './testing/registry.fixture.js';
import { TaskServer } from './testing/task.server.js';

const LONG = { taskMaxMs: 60_000 };
const later = () => Promise.resolve(null);

describe('tasks of servers', () => {
  let server: TaskServer;
  let registry: McpRegistry;
  beforeEach(async () => {
    server = await TaskServer.start();
    registry = registryOf([httpServer('lab', server.url)]);
    await registry.start();
    await eventually(async () => (await registry.tools()).length === 2);
  });
  afterEach(async () => {
    await registry?.close();
    await server?.stop();
  });

  async function begin(taskMaxMs = LONG.taskMaxMs): Promise<PendingTask> {
    return pendingOf(await callOf(registry, 'lab__build', {}, { taskMaxMs }));
  }
  const lookAt = async (pending: PendingTask, options = {}): Promise<ToolResult> => {
    const result = await registry.askAfter(pending, NEVER, { elicit: later, ...options });
    if (result === null) throw new Error('its server is not there');
    return result;
  };
  const newest = (): string => server.begun.at(-1) ?? '';

  it('a call ends when it becomes a task, and the task is polled until it ends', async () => {
    const pending = await begin();
    expect(pending).toMatchObject({
      questions: {},
      task: { alias: 'lab', taskId: newest(), pollMs: 1_000, note: null, answered: [] },
    });
    const leftMs = Date.parse(pending.task.until) - Date.now();
    expect(leftMs).toBeGreaterThan(50_000);
    expect(leftMs).toBeLessThanOrEqual(60_000);

    server.say(newest(), 'half\u0007way');
    const lines: string[] = [];
    const still = await lookAt(pending, { onLog: ({ text }: { text: string }) => lines.push(text) });
    expect([pendingOf(still).task.note, lines]).toEqual(['halfway', ['halfway']]);

    server.end(newest(), 'it stands', true);
    expect(await lookAt(pendingOf(still))).toMatchObject({ text: 'it stands', isError: true });
    expect(server.begun).toHaveLength(1);
  });

  it.each([
    [1, 1_000],
    [7_500, 7_500],
    [86_400_000, 300_000],
  ])('a proposed poll interval of %d ms is limited to between 1 s and 5 min', async (proposed, kept) => {
    server.pollIntervalMs = proposed;
    expect((await begin()).task.pollMs).toBe(kept);
  });

  it('a call waits for the end of its task if it may not end early', async () => {
    const call = callOf(registry, 'lab__build');
    await eventually(() => server.polls.length > 0);
    server.end(newest(), 'it stands');
    expect(await call).toMatchObject({ text: 'it stands', isError: false });
    expect(server.cancelled).toEqual([]);
  });

  it('a call that is stopped while it waits cancels its task', async () => {
    const stop = new AbortController();
    const call = callOf(registry, 'lab__build', {}, {}, stop.signal);
    await eventually(() => server.begun.length > 0);
    setTimeout(() => stop.abort(), 100);
    await expect(call).rejects.toMatchObject({ code: 'aborted' });
    await eventually(() => server.cancelled.length > 0);
    expect(server.cancelled).toEqual(server.begun);
  });

  it('a question of a task is asked once and waits for its answer', async () => {
    const begun = await begin();
    server.ask(newest(), 'first', 'Which colour?');
    const asks = pendingOf(await lookAt(begun));
    expect(asks.questions).toMatchObject({ first: { mode: 'form', message: 'Which colour?' } });
    expect(openTask(asks)).toBeNull();

    const answer = { action: 'accept', content: { colour: 'red' } } as const;
    const answered = withAnswer(asks, answer);
    // The server still reports the question, because answers take time there.
    const waits = pendingOf(await lookAt({ ...answered, task: asks.task }));
    expect(server.answers).toEqual([{ first: answer }]);
    expect([waits.questions, waits.task.answered]).toEqual([{}, ['first']]);
    server.end(newest(), 'red it is');
    expect(await lookAt(waits)).toMatchObject({ text: 'red it is' });
    expect(server.answers).toHaveLength(1);
  });

  it('a question of a task is cancelled if nobody can answer it, and the task continues', async () => {
    const call = callOf(registry, 'lab__build');
    await eventually(() => server.begun.length > 0);
    server.ask(newest(), 'first', 'Which colour?');
    await eventually(() => server.answers.length > 0);
    server.end(newest(), 'no colour');
    expect(await call).toMatchObject({ text: 'no colour' });
    expect(server.answers).toEqual([{ first: { action: 'cancel' } }]);
  });

  it('a task that asks for a model is refused, and cancelled on its server', async () => {
    const pending = await begin();
    server.askForModel(newest());
    await expect(lookAt(pending)).rejects.toMatchObject({
      code: 'mcp_refused',
      message: expect.stringContaining('sampling/createMessage'),
    });
    expect(server.cancelled).toEqual([newest()]);
  });

  it('a task continues while its server is unavailable, until its time is over', async () => {
    const pending = await begin();
    await server.stop();
    expect(pendingOf(await lookAt(pending)).task).toEqual(pending.task);
    await server.serve();
    server.end(newest(), 'it stands');
    await eventually(async () => (await lookAt(pending)).text === 'it stands');
    expect(server.begun).toHaveLength(1);

    const late = await begin(1);
    expect(await lookAt(late)).toMatchObject({ isError: true, text: expect.stringContaining('did not end by') });
    expect(server.cancelled).toEqual([newest()]);

    const deaf = await begin(1);
    await server.stop();
    const notes: string[] = [];
    const end = await lookAt(deaf, { onLog: ({ text }: { text: string }) => notes.push(text) });
    await server.serve();
    expect(end).toMatchObject({ isError: true, text: expect.stringContaining('did not end by') });
    expect(notes).toEqual([
      expect.stringContaining('may still be running at MCP server lab, because it could not be cancelled'),
    ]);
  });

  it.each<[string, (id: string) => void, string]>([
    ['failed', (id) => server.fail(id, 'no bricks'), 'failed: no bricks'],
    ['was cancelled', (id) => void server.cancel(id), 'was cancelled there'],
  ])('a task that %s on its server is an error for the model', async (_, change, text) => {
    const pending = await begin();
    change(newest());
    expect(await lookAt(pending)).toMatchObject({ isError: true, text: expect.stringContaining(text) });
  });

  it('polling a task that its server has forgotten fails', async () => {
    const pending = await begin();
    server.forget(newest());
    await expect(lookAt(pending)).rejects.toMatchObject({ code: 'mcp_refused' });
  });

  it('a task is never polled at another server of the same name', async () => {
    const pending = await begin();
    const other = await TaskServer.start();
    const elsewhere = registryOf([httpServer('lab', other.url)]);
    try {
      await elsewhere.start();
      await eventually(async () => (await elsewhere.tools()).length === 2);
      expect(await elsewhere.askAfter(pending, NEVER)).toBeNull();
      expect(await elsewhere.cancelTask(pending.task, NEVER)).toBe(true);
      expect([other.polls, other.cancelled]).toEqual([[], []]);
    } finally {
      await elsewhere.close();
      await other.stop();
    }
  });

  it('an abandoned task is cancelled as soon as its server is available again', async () => {
    const { task } = await begin();
    await server.stop();
    await eventually(async () => !(await registry.cancelTask(task, NEVER)));
    await server.serve();
    await eventually(() => registry.cancelTask(task, NEVER));
    expect(server.cancelled).toContain(task.taskId);
  });
});

function pendingOf({ pending, text }: ToolResult): PendingTask {
  if (pending?.task === undefined) throw new Error(`it is no task: ${text}`);
  return { ...pending, task: pending.task };
}
