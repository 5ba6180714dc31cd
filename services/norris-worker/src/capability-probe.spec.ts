import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Asker, HttpBroker, TokenCounter, type CapabilityStore } from '@aish/broker';
import type { Preset } from '@aish/contracts/config/presets.settings';
import { CreateGoal } from '@aish/contracts/goals';
import { inTransaction } from '@aish/database/transaction';
import { createLogger } from '@aish/http';
import { startScriptedModel, type Reply } from '@aish/demo-model';
import { createGoal, probeDialect } from '@aish/sessions';
import { Toolbox } from '@aish/tools';
import { CapabilityProbe } from './capability-probe.js';
import { modelCapabilities } from './model-capabilities.js';
import { useWorkerWorld } from './testing/worker-world.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Starts a server that names its model, as llama.cpp does. The model acts in one of the two ways. */
async function serve(
  acts: 'lines' | 'tools',
  slots: () => boolean,
  template = 'a',
): Promise<{ preset: Preset; asked: () => number }> {
  const script = (messages: readonly { content?: unknown }[]): Reply => {
    const isInLines = JSON.stringify(messages[0]?.content).includes('CMD: ls -la');
    if (acts === 'lines') return { text: 'CMD: ls -la' };
    const isProbe = JSON.stringify(messages).includes('note_word');
    if (isProbe) return { text: '', toolCalls: [{ name: 'note_word', arguments: '{"word":"ready"}' }] };
    return isInLines
      ? { text: 'I would look.' }
      : { text: '', toolCalls: [{ name: 'run', arguments: '{"command":"ls"}' }] };
  };
  const model = await startScriptedModel({ script });
  const server = http.createServer((request, response) => {
    const own: Readonly<Record<string, unknown>> = {
      '/props': { model_path: 'm.gguf', chat_template: template, chat_template_caps: { supports_tools: true } },
      '/slots': [{ is_processing: slots() }],
    };
    const path = request.url?.replace(/\?.*/, '') ?? '';
    if (path in own) return void response.setHeader('content-type', 'application/json').end(JSON.stringify(own[path]));
    const onward = http.request(
      `${model.url}${request.url}`,
      { method: request.method, headers: request.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      },
    );
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await model.close();
  });
  const preset = {
    name: 'fast',
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    model: null,
    temperature: 0,
    maxTokens: 200,
    apiKey: null,
    connectTimeoutMs: 5_000,
    idleTimeoutMs: 10_000,
    totalTimeoutMs: 20_000,
  };
  return { preset, asked: () => model.requests.length };
}

describe('the capability probe', () => {
  const world = useWorkerWorld();

  function probeOf(preset: Preset): { probe: CapabilityProbe; capabilityStore: CapabilityStore } {
    const broker = new HttpBroker();
    const capabilityStore = modelCapabilities(world.db, broker, false, () => undefined);
    const ports = {
      asker: new Asker(broker, capabilityStore, new TokenCounter(broker)),
      toolbox: new Toolbox(() => [], { keep: () => Promise.resolve('r'), readText: () => Promise.resolve(null) }),
      autoApproves: () => false,
    };
    const logger = createLogger('error', 'probe');
    const probe = new CapabilityProbe({
      db: world.db,
      capabilityStore,
      presets: [preset],
      logger,
      probe: (each, signal) => probeDialect(each, ports, signal),
    });
    return { probe, capabilityStore };
  }

  const signal = new AbortController().signal;

  it.each(['lines', 'tools'] as const)(
    'a model that acts with %s is probed once, and the result is shared',
    async (acts) => {
      const { preset, asked } = await serve(acts, () => false);
      const { probe, capabilityStore } = probeOf(preset);
      // A model that answers a forced call with text cannot call tools, so its way of acting is not probed.
      const expected = acts === 'tools' ? 'tools' : undefined;
      await probe.round();
      expect((await capabilityStore.of(preset, signal)).actsWith).toBe(expected);
      const before = asked();
      await probe.round();
      expect(asked()).toBe(before);
      expect((await probeOf(preset).capabilityStore.of(preset, signal)).actsWith).toBe(expected);
    },
  );

  it('a model is not probed while its server is busy', async () => {
    let isBusy = true;
    const { preset } = await serve('tools', () => isBusy);
    const { probe, capabilityStore } = probeOf(preset);
    await probe.round();
    expect((await capabilityStore.of(preset, signal)).actsWith).toBeUndefined();
    isBusy = false;
    await probe.round();
    expect((await capabilityStore.of(preset, signal)).actsWith).toBe('tools');
  });

  it('a model is not probed while a goal waits for a model', async () => {
    const { preset } = await serve('tools', () => false);
    const { probe, capabilityStore } = probeOf(preset);
    const goal = CreateGoal.parse({ text: 'do it' });
    const created = await inTransaction(world.db, (tx) => createGoal(tx, { goal, createdBy: 'p' }));
    await probe.round();
    expect((await capabilityStore.of(preset, signal)).actsWith).toBeUndefined();
    await world.db.statements.$executeRaw`update goals set state = 'done' where id = ${created?.goal.id}::uuid`;
    await probe.round();
    expect((await capabilityStore.of(preset, signal)).actsWith).toBe('tools');
  });
});
