import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startScriptedModel, type ScriptedModel } from '@aish/demo-model';
import { eventually } from '../support/eventually.js';
import { plan } from '../support/plan.js';
import { Stack } from '../support/stack.js';

/** Returns the resources that keep this process alive, by kind: sockets, servers, timers, child processes. */
function resources(): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

const listeners = () => process.eventNames().map((name) => [String(name), process.listenerCount(name)]);

describe('services in the process of a test', () => {
  let model: ScriptedModel;
  beforeAll(async () => {
    model = await startScriptedModel({ script: plan('CMD: echo hi', 'GOAL: complete') });
  });
  afterAll(() => model?.close());

  async function playGoal(): Promise<void> {
    const stack = await Stack.start({ modelUrl: model.url });
    try {
      const { id } = await stack.client.createGoal('say hi');
      expect((await stack.client.until(id, 'done')).actions[0]?.outcome?.output).toBe('hi\n');
      expect(stack.services.map(({ pid }) => pid)).toEqual(stack.services.map(() => process.pid));
    } finally {
      await stack.stop();
    }
  }

  it('services in the test process leave no timer, connection, child process, listener or setting behind', async () => {
    // One goal is played before the measurement, because the test database server and loaded modules stay.
    await playGoal();
    const [env, before, listening] = [{ ...process.env }, resources(), listeners()];
    await playGoal();
    expect({ ...process.env }).toEqual(env);
    expect(listeners()).toEqual(listening);
    // An idle keep-alive connection closes a few seconds after the last request.
    await eventually('nothing more is open than before', async () => {
      const after = resources();
      const grown = Object.keys(after).filter((kind) => (after[kind] ?? 0) > (before[kind] ?? 0));
      if (grown.length > 0) throw new Error(`still open: ${JSON.stringify(after)}, before: ${JSON.stringify(before)}`);
      return true;
    });
  }, 180_000);
});
