import { Asker, CapabilityStore, HttpBroker, TokenCounter } from '@aish/broker';
import type { Preset } from '@aish/contracts/config/presets.settings';
import { UNKNOWN_CAPABILITIES } from '@aish/contracts/models';
import type { PendingInput, PendingTask, ServerTask, ToolProvider, ToolResult, ToolSpec } from '@aish/contracts/tools';
import { connectDatabase, type Database } from '@aish/database/client';
import { SharedLocks } from '@aish/database/shared-locks';
import { createTestDatabase } from '@aish/database/testing';
import { startScriptedModel, type Reply, type Script, type ScriptedModel } from '@aish/demo-model';
import { Toolbox } from '@aish/tools';
import type { AtBoundary } from '../boundaries.js';
import type { ActionPorts } from '../context.js';
import { SafetyGate } from '../gate.js';
import { FakeSandbox, NoWorkspaces } from './fake.sandbox.js';

/**
 * The test environment of runners. The database and the model over HTTP are real, the sandbox and the tools are in
 * memory.
 */
export interface World {
  readonly ports: ActionPorts & { readonly locks: SharedLocks; readonly asker: Asker; readonly broker: HttpBroker };
  readonly db: Database;
  readonly preset: Preset;
  readonly sandbox: FakeSandbox;
  readonly tools: FakeTools;
  readonly model: ScriptedModel;
  readonly capabilityStore: CapabilityStore;
  /** The model's answers in order, then `last`. */
  answers: readonly Reply[];
  last: string;
  at: AtBoundary;
  close(): Promise<void>;
}

/**
 * The tools of one server: `read_sign` only reads, `ring_bell` does not, `ask_name` asks a person, and `build_house`
 * becomes a task.
 */
export class FakeTools implements ToolProvider {
  readonly name = 'fake';
  readonly calls: string[] = [];
  /** The answers of `read_sign`, in order. The last one is repeated. */
  signs: readonly string[] = ['open'];
  /** The server's description of a tool, before its name. */
  words = 'Does';

  /** The results of polling the task of `build_house`, in order. The last one is repeated. */
  looks: readonly ('goes on' | 'asks' | 'stands')[] = ['stands'];
  /** The answers sent with each poll of the task. */
  readonly looked: (readonly string[])[] = [];

  tools(): Promise<readonly ToolSpec[]> {
    return Promise.resolve(
      ['ask_name', 'build_house', 'read_sign', 'ring_bell'].map((name) => specOf(name, this.words)),
    );
  }

  async call(...[call, , , options]: Parameters<ToolProvider['call']>): Promise<ToolResult> {
    const name = call.name.replace('lab__', '');
    this.calls.push(name);
    if (name === 'read_sign') {
      const sign = this.signs[Math.min(this.calls.length, this.signs.length) - 1] ?? '';
      return { text: sign, isError: false, omittedBytes: 0 };
    }
    if (name === 'ring_bell') return { text: 'ding', isError: false, omittedBytes: 0 };
    if (name === 'build_house') return unended({ task: TASK });
    const { resume } = options ?? {};
    if (resume !== undefined) {
      const { action, content } = resume.answers['name'] ?? { action: 'cancel' };
      return { text: `${action} ${String(content?.['name'])}`, isError: false, omittedBytes: 0 };
    }
    return unended({ questions: { name: QUESTION }, state: 's', restarts: true });
  }

  askAfter({ task, answers = {} }: PendingTask): Promise<ToolResult> {
    this.looked.push(Object.keys(answers));
    const come = this.looks[Math.min(this.looked.length, this.looks.length) - 1];
    if (come === 'stands') return Promise.resolve({ text: `${task.taskId} stands`, isError: false, omittedBytes: 0 });
    return Promise.resolve(unended({ questions: come === 'asks' ? { name: QUESTION } : {}, task }));
  }
}

const QUESTION = { mode: 'form', message: 'Who?', requestedSchema: { type: 'object' }, url: null } as const;
const TASK: ServerTask = {
  alias: 'lab',
  endpoint: 'e',
  taskId: 'house',
  pollMs: 5,
  until: '2999-01-01T00:00:00.000Z',
  note: null,
  answered: [],
};

function unended(pending: Partial<PendingInput>): ToolResult {
  const rest = { questions: {}, state: '', restarts: false };
  return { text: '', isError: false, omittedBytes: 0, pending: { ...rest, ...pending } };
}

function specOf(name: string, words: string): ToolSpec {
  const reads = name === 'read_sign';
  const properties = name === 'ring_bell' ? { path: { type: 'string' } } : {};
  return {
    name: `lab__${name}`,
    label: `lab.${name}`,
    description: `${words} ${name}.`,
    inputSchema: { type: 'object', properties, additionalProperties: false },
    annotations: reads ? { readOnlyHint: true } : {},
    trusted: true,
  };
}

/**
 * Opens the environment for one suite. `close` removes everything.
 *
 * @param script the replies of the model, instead of `answers` and `last`.
 */
export async function openWorld(script?: Script): Promise<World> {
  const server = await createTestDatabase();
  const db = connectDatabase(server.url, { max: 6 });
  const inTurn: Script = (messages) => {
    const answerCount = messages.filter(({ role }) => role === 'assistant').length;
    return world.answers[answerCount] ?? { text: world.last };
  };
  const model = await startScriptedModel({ script: script ?? inTurn });
  const preset: Preset = {
    name: 'fast',
    baseUrl: model.url,
    model: null,
    temperature: 0,
    maxTokens: 200,
    apiKey: null,
    connectTimeoutMs: 5_000,
    idleTimeoutMs: 10_000,
    totalTimeoutMs: 20_000,
  };
  const broker = new HttpBroker();
  const known = { contextTokens: 32_000, systemRole: true, toolRole: true, nativeTools: true, countsTokens: false };
  const capabilities = { ...UNKNOWN_CAPABILITIES, ...known, checkedAt: new Date(0).toISOString() };
  const capabilityStore = new CapabilityStore(
    broker,
    { load: () => Promise.resolve(capabilities), save: () => Promise.resolve() },
    () => undefined,
  );
  const locks = new SharedLocks(db, () => undefined);
  const [sandbox, tools] = [new FakeSandbox(), new FakeTools()];
  const world: World = {
    ports: {
      db,
      locks,
      broker,
      asker: new Asker(broker, capabilityStore, new TokenCounter(broker)),
      sandbox,
      workspaces: new NoWorkspaces(),
      gate: new SafetyGate(broker, { mode: 'off', preset, rules: [] }),
      secrets: () => Promise.resolve([]),
      toolbox: new Toolbox(() => [tools], {
        keep: () => Promise.resolve('r-1'),
        readText: () => Promise.resolve(null),
      }),
    },
    db,
    preset,
    sandbox,
    tools,
    model,
    capabilityStore,
    answers: [],
    last: '',
    at: () => undefined,
    close: async () => {
      await locks.close();
      await db.close();
      await model.close();
      await server.drop();
    },
  };
  return world;
}
