import { afterEach, describe, expect, it } from '@jest/globals';
import type { Elicitation, ToolProgress } from '@aish/contracts/tools';
import type { McpRegistry } from './registry.js';
import {
  FixtureServer,
  fixtureTools,
  sessionHandler,
  statelessHandler,
  type Handler,
} from './testing/fixture.server.js';
import { CONTEXT, NEVER, callOf, eventually, httpServer, registryOf } from './testing/registry.fixture.js';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function serve(handler: Handler, port = 0): Promise<FixtureServer> {
  const server = await FixtureServer.start(handler, port);
  ends.push(() => server.stop());
  return server;
}

async function started(...args: Parameters<typeof registryOf>): Promise<McpRegistry> {
  const registry = registryOf(...args);
  ends.push(() => registry.close());
  await registry.start();
  return registry;
}

const names = async (registry: McpRegistry) => (await registry.tools()).map(({ name }) => name);
const FOUR = ['one__asks', 'one__echo', 'one__fails', 'one__hangs'];

describe('MCP servers of both protocol generations', () => {
  it.each([
    ['auto', '2026-07-28', statelessHandler],
    ['2026-07-28', '2026-07-28', statelessHandler],
    ['2025', '2025-11-25', statelessHandler],
    ['auto', '2025-11-25', sessionHandler],
  ] as const)('servers with the protocol setting %s use %s', async (protocol, spoken, handler) => {
    const server = await serve(handler());
    const registry = await started([httpServer('one', server.url, { protocol })]);
    expect(await names(registry)).toEqual(FOUR);
    expect(registry.status()).toMatchObject([{ state: 'connected', protocolVersion: spoken, serverName: 'fixture' }]);
    expect(await callOf(registry, 'one__echo', { text: 'hi' })).toEqual({
      text: 'hi',
      isError: false,
      omittedBytes: 0,
    });
    expect(await callOf(registry, 'one__fails')).toEqual({ text: 'no luck', isError: true, omittedBytes: 0 });
  });

  it('an old server that is pinned to 2026-07-28 is not connected, and the reason is shown', async () => {
    const server = await serve(sessionHandler());
    const registry = await started([httpServer('one', server.url, { protocol: '2026-07-28' })]);
    expect(await names(registry)).toEqual([]);
    expect(registry.status()[0]?.state).not.toBe('connected');
    expect(registry.status()[0]?.detail).toMatch(/one/);
  });
});

describe('a call', () => {
  it('a call of an unknown tool, or with arguments that are not a JSON object, gets an answer that a model can read', async () => {
    const server = await serve(statelessHandler());
    const registry = await started([httpServer('one', server.url)]);
    await names(registry);
    expect(await callOf(registry, 'one__nope')).toMatchObject({
      isError: true,
      text: expect.stringContaining('no tool'),
    });
    for (const args of ['{"text":', '[]', '"text"', 'null']) {
      const result = await registry.call({ id: '1', name: 'one__echo', arguments: args }, CONTEXT, NEVER);
      expect(result).toMatchObject({ isError: true, text: expect.stringContaining('not a JSON object') });
    }
    // The server refuses arguments that do not match the schema in the same way.
    expect(await callOf(registry, 'one__echo', { text: 7 })).toMatchObject({ isError: true });
  });

  it('a call ends if its tool is silent for too long, and if it is cancelled', async () => {
    const server = await serve(statelessHandler());
    const registry = await started([httpServer('one', server.url, { callTimeoutMs: 300 })]);
    await names(registry);
    await expect(callOf(registry, 'one__hangs')).rejects.toMatchObject({ code: 'mcp_timeout' });
    const cancel = new AbortController();
    setTimeout(() => cancel.abort(), 50);
    await expect(callOf(registry, 'one__hangs', {}, {}, cancel.signal)).rejects.toMatchObject({ code: 'aborted' });
    expect(await callOf(registry, 'one__echo', { text: 'still there' })).toMatchObject({ text: 'still there' });
  });

  it('a call reports its progress, and each report extends its timeout', async () => {
    const make = () => {
      const tools = fixtureTools();
      tools.registerTool('slow', {}, async (context) => {
        const { _meta: meta } = context.mcpReq;
        const token = meta?.progressToken ?? 'none';
        for (let progress = 1; progress <= 4; progress += 1) {
          await new Promise((resolve) => setTimeout(resolve, 150));
          const params = { progressToken: token, progress, total: 4, message: `part\u202e ${progress}` };
          await context.mcpReq.notify({ method: 'notifications/progress', params });
        }
        return { content: [{ type: 'text', text: 'done' }] };
      });
      return tools;
    };
    const server = await serve(statelessHandler(make));
    const registry = await started([httpServer('one', server.url, { callTimeoutMs: 450 })]);
    await names(registry);
    const seen: ToolProgress[] = [];
    expect(await callOf(registry, 'one__slow', {}, { onProgress: (progress) => seen.push(progress) })).toMatchObject({
      text: 'done',
    });
    // Only the first message is certain. On a busy machine several may be merged.
    expect(seen[0]).toEqual({ progress: 1, total: 4, message: 'part 1' });
  });
});

describe('a question of a tool', () => {
  it.each(['auto', '2025'] as const)(
    'a person can answer a question of a tool (%s) even after the timeout of a silent call',
    async (protocol) => {
      const server = await serve(protocol === '2025' ? legacyAsking() : statelessHandler());
      const registry = await started([httpServer('one', server.url, { protocol, callTimeoutMs: 1_000 })]);
      await names(registry);
      const asked: Elicitation[] = [];
      const elicit = async (question: Elicitation) => {
        asked.push(question);
        await new Promise((resolve) => setTimeout(resolve, 1_500));
        return { action: 'accept' as const, content: { colour: 'red' } };
      };
      expect(await callOf(registry, 'one__asks', {}, { elicit })).toMatchObject({ text: 'accept red' });
      expect(asked).toEqual([
        {
          mode: 'form',
          message: 'Which colour?',
          requestedSchema: expect.objectContaining({ type: 'object' }),
          url: null,
        },
      ]);
      // Omitted values get the default. If there is no person, there is no answer.
      const accept = () => Promise.resolve({ action: 'accept' as const });
      expect(await callOf(registry, 'one__asks', {}, { elicit: accept })).toMatchObject({ text: 'accept blue' });
      expect(await callOf(registry, 'one__asks')).toMatchObject({ text: 'cancel nothing' });
    },
  );

  it('with protocol 2026, a call continues from the answer to its question, even in another process', async () => {
    const server = await serve(statelessHandler());
    const first = await started([httpServer('one', server.url)]);
    await names(first);
    const { pending } = await callOf(first, 'one__asks', {}, { elicit: () => Promise.resolve(null) });
    expect(pending).toMatchObject({ restarts: false, questions: { colour: { message: 'Which colour?' } } });
    await first.close();
    const second = await started([httpServer('one', server.url)]);
    await names(second);
    const answers = { colour: { action: 'accept' as const, content: { colour: 'green' } } };
    const resume = { state: pending?.state ?? '', answers };
    expect(await callOf(second, 'one__asks', {}, { resume })).toMatchObject({ text: 'accept green' });
  });

  it('with protocol 2025, a question ends with its request, and a resumed call starts over', async () => {
    const server = await serve(legacyAsking());
    const registry = await started([httpServer('one', server.url)]);
    await names(registry);
    const result = await callOf(registry, 'one__asks', {}, { elicit: () => Promise.resolve(null) });
    expect(result).toMatchObject({ text: 'cancel nothing', pending: { restarts: true } });
    const [name] = Object.keys(result.pending?.questions ?? {});
    const answers = { [name as string]: { action: 'accept' as const, content: { colour: 'green' } } };
    const resume = { state: result.pending?.state ?? '', answers };
    expect(await callOf(registry, 'one__asks', {}, { resume })).toMatchObject({ text: 'accept green' });
  });
});

describe('a server that comes and goes', () => {
  it('a server keeps its tools while it is unavailable, and is connected again when it is back', async () => {
    const probe = await FixtureServer.start(() => undefined);
    const { port } = probe;
    await probe.stop();
    const registry = await started([httpServer('one', `http://127.0.0.1:${port}/mcp`)]);
    await eventually(() => registry.status()[0]?.state === 'waiting');
    expect(await names(registry)).toEqual([]);
    const first = await serve(sessionHandler(), port);
    await eventually(async () => (await names(registry)).length === FOUR.length);
    await first.stop();
    ends.splice(ends.length - 1, 1);
    await eventually(() => registry.status()[0]?.state !== 'connected', 40_000);
    expect(await names(registry)).toEqual(FOUR);
    await expect(callOf(registry, 'one__echo', { text: 'x' })).rejects.toMatchObject({ code: 'mcp_unreachable' });
    await serve(sessionHandler(), port);
    // A call does not wait for the next retry.
    expect(await callOf(registry, 'one__echo', { text: 'back' })).toMatchObject({ text: 'back' });
  }, 60_000);

  it('a call is repeated in a new session if the server has forgotten the old one', async () => {
    const handler = sessionHandler();
    const server = await serve(handler);
    const registry = await started([httpServer('one', server.url)], { pingEveryMs: 60_000 });
    await names(registry);
    handler.sessions.clear();
    expect(await callOf(registry, 'one__echo', { text: 'again' })).toMatchObject({ text: 'again' });
  });

  it('a change of tools is announced, and the provider gets a new version', async () => {
    let extra: string[] = [];
    const handler = statelessHandler(() => fixtureTools(extra));
    const server = await serve(handler);
    const registry = await started([httpServer('one', server.url)]);
    await names(registry);
    const before = registry.version();
    let notified = 0;
    registry.onToolsChanged(() => (notified += 1));
    extra = ['new.tool'];
    await eventually(async () => {
      handler.notify();
      await new Promise((resolve) => setTimeout(resolve, 500));
      return registry.version() !== before;
    });
    expect(notified).toBeGreaterThan(0);
    expect(await names(registry)).toContain(
      [...(await registry.tools())].find(({ label }) => label === 'one.new.tool')?.name,
    );
  });

  it('the registry closes even if a server is still in its handshake', async () => {
    let isAsked = false;
    const server = await serve(
      sessionHandler(() => {
        const made = fixtureTools();
        made.server.setRequestHandler('logging/setLevel', () => {
          isAsked = true;
          return new Promise(() => undefined);
        });
        return made;
      }),
    );
    const registry = registryOf([httpServer('one', server.url, { protocol: '2025' })]);
    void registry.start();
    await eventually(() => isAsked);
    await registry.close();
    expect(registry.status()).toEqual([]);
  });

  it('an unavailable MCP server does not affect the others', async () => {
    const silent = await serve(() => undefined);
    const server = await serve(statelessHandler());
    const registry = await started([
      httpServer('one', server.url),
      httpServer('two', silent.url, { connectTimeoutMs: 30_000 }),
    ]);
    expect(await names(registry)).toEqual(FOUR);
  });
});

describe('servers that were connected at run time', () => {
  it('stored servers can be added and removed at run time, and the configuration takes precedence', async () => {
    const server = await serve(statelessHandler());
    let kept = [{ server: httpServer('kept', server.url), source: 'saved' as const, revision: '1' }];
    const registry = await started([httpServer('one', server.url)], { store: { list: () => Promise.resolve(kept) } });
    expect(await names(registry)).toEqual(['kept__asks', 'kept__echo', 'kept__fails', 'kept__hangs', ...FOUR]);
    kept = [{ server: httpServer('one', 'http://127.0.0.1:1/mcp'), source: 'saved', revision: '2' }];
    await registry.sync(true);
    expect(await names(registry)).toEqual(FOUR);
    expect(registry.status().map(({ alias, source }) => [alias, source])).toEqual([['one', 'configuration']]);
  });
});

describe('tools that the configuration approves', () => {
  it('the configuration approves a tool by its name, or all tools of a server', async () => {
    const registry = await started([
      httpServer('all', 'http://127.0.0.1:1/', { autoApprove: true }),
      httpServer('some', 'http://127.0.0.1:1/', { autoApprove: ['read', 'a.b'] }),
    ]);
    const labels = ['all.x', 'all.y.z', 'some.read', 'some.a.b', 'some.write', 'other.read', 'all', 'allx.y'];
    expect(labels.filter((label) => registry.isAutoApproved(label))).toEqual([
      'all.x',
      'all.y.z',
      'some.read',
      'some.a.b',
    ]);
  });
});

/** Starts a server of 2025 that asks a question while its request stays open. */
function legacyAsking(): Handler {
  return sessionHandler(() => {
    const tools = fixtureTools();
    tools.server.removeRequestHandler('tools/call');
    tools.server.setRequestHandler('tools/call', async (_, context) => {
      const answer = await context.mcpReq.elicitInput({
        mode: 'form',
        message: 'Which colour?',
        requestedSchema: { type: 'object', properties: { colour: { type: 'string', default: 'blue' } } },
      });
      const colour = answer.content?.['colour'];
      return {
        content: [{ type: 'text', text: `${answer.action} ${typeof colour === 'string' ? colour : 'nothing'}` }],
      };
    });
    return tools;
  });
}
