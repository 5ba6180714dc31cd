import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { isAishError } from '@aish/contracts/problems';
import { ToolSpec } from '@aish/contracts/tools';
import type { Tool } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { LIMITS } from './limits.js';
import type { McpRegistry } from './registry.js';
import { FixtureServer } from './testing/fixture.server.js';
import { callOf, httpServer, registryOf } from './testing/registry.fixture.js';
import { toolListing } from './tool-list.js';

type Answer = (response: ServerResponse, id: unknown, params: unknown) => void;
type Answers = Record<string, Answer>;

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

function say(response: ServerResponse, id: unknown, result: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

const INITIALIZED: Answer = (response, id) =>
  say(response, id, {
    protocolVersion: '2025-11-25',
    capabilities: { tools: { listChanged: true }, logging: {} },
    serverInfo: { name: 'hostile', version: '1' },
  });
const ONE_TOOL: Answer = (response, id) =>
  say(response, id, { tools: [{ name: 'x', inputSchema: { type: 'object' } }] });

/** Starts a server that gives `answers` by method, and behaves correctly otherwise. */
async function hostile(answers: Answers, more: { readonly callTimeoutMs?: number } = {}): Promise<McpRegistry> {
  const server = await FixtureServer.start((request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const message = JSON.parse(Buffer.concat(chunks).toString()) as { id?: unknown; method: string; params: unknown };
      const known: Answers = { initialize: INITIALIZED, 'tools/list': ONE_TOOL, ...answers };
      const answer = known[message.method];
      if (message.id === undefined) response.writeHead(202).end();
      else if (answer === undefined) say(response, message.id, {});
      else answer(response, message.id, message.params);
    });
  });
  ends.push(() => server.stop());
  // Silent servers need a short timeout. All others may be slow.
  const patience = Object.values(answers).some((answer) => WAITED_FOR.has(answer)) ? 1_000 : 15_000;
  const settings = { protocol: '2025' as const, connectTimeoutMs: patience, callTimeoutMs: patience, ...more };
  const registry = registryOf([httpServer('h', server.url, settings)], { retryMinMs: 60_000, pingEveryMs: 60_000 });
  ends.push(() => registry.close());
  await registry.start();
  return registry;
}

/** Returns the result of connecting. */
async function outcome(registry: McpRegistry): Promise<string> {
  await registry.server('h').settled(20_000);
  const [status] = registry.status();
  if (status?.state === 'connected') return `${status.tools} tools`;
  return status?.detail ?? 'nothing';
}

const silence: Answer = () => undefined;
const another: Answer = (response) => say(response, 999_999, { tools: [] });
/** Answers for which a request waits until its timeout. */
const WAITED_FOR: ReadonlySet<unknown> = new Set([silence, another]);
const endless: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const chunk = Buffer.alloc(1024 * 1024, ' ');
  const push = (): void =>
    void (response.destroyed || (response.write(chunk) ? setImmediate(push) : response.once('drain', push)));
  push();
};

describe('servers that answer incorrectly', () => {
  it.each([
    ['is silent at the handshake', { initialize: silence }, /no answer|time/i],
    ['is silent when asked for its tools', { 'tools/list': silence }, /time/i],
    ['sends endless data', { 'tools/list': endless }, /larger than/],
    ['has pages without end', { 'tools/list': pages() }, /page/i],
    ['sends no JSON', { 'tools/list': raw('application/json', '{"jsonrpc":') }, /protocol|JSON/],
    ['sends HTML', { 'tools/list': raw('text/html', '<html>') }, /content/i],
    ['sends an invalid list', { 'tools/list': (r, id) => say(r, id, { tools: 7 }) }, /./],
    ['hangs up', { 'tools/list': (r) => r.destroy() }, /./],
    ['answers with status 500', { 'tools/list': (r) => r.writeHead(500).end('no') }, /HTTP 500/],
    ['answers another request', { 'tools/list': another }, /./],
  ] satisfies [string, Answers, RegExp][])(
    'a hostile server is not connected, and the reason is shown: %s',
    async (_, answers, reason) => {
      expect(await outcome(await hostile(answers))).toMatch(reason);
    },
    40_000,
  );

  it.each([
    ['is silent', silence, 'mcp_timeout'],
    ['sends endless data', endless, 'mcp_bad_answer'],
    ['sends no JSON', raw('application/json', 'null,'), 'mcp_bad_answer'],
    ['sends an invalid result', (r, id) => say(r, id, { content: 'text' }), 'mcp_bad_answer'],
    ['hangs up', (r) => r.destroy(), 'mcp_lost'],
    [
      'refuses',
      (r, id) =>
        r.writeHead(200, { 'content-type': 'application/json' }).end(
          JSON.stringify({
            jsonrpc: '2.0',
            id,
            error: { code: -32_603, message: `no\u001b[31m\u202e ${'x'.repeat(10_000)}` },
          }),
        ),
      'mcp_refused',
    ],
    [
      'wants something that aish does not offer',
      (r, id) => say(r, id, { resultType: 'input_required', inputRequests: {} }),
      'mcp_bad_answer',
    ],
  ] satisfies [string, Answer, string][])(
    'a call to a hostile server gives a typed, short error without control characters: %s',
    async (_, answer, code) => {
      const registry = await hostile({ 'tools/call': answer });
      await registry.tools();
      const error: unknown = await callOf(registry, 'h__x').catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code });
      expect((error as Error).message.length).toBeLessThan(700);
      expect((error as Error).message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    },
    40_000,
  );

  it('a huge tool result is cut, and the number of omitted bytes is reported', async () => {
    const blob = Buffer.alloc(LIMITS.attachmentBytes, 1).toString('base64');
    const content = [
      { type: 'text', text: 'ä'.repeat(LIMITS.resultTextBytes) },
      { type: 'image', data: blob.slice(0, 1_000_000), mimeType: 'image/png' },
      { type: 'image', data: blob, mimeType: 'image/png' },
    ];
    const registry = await hostile(
      { 'tools/call': (response, id) => say(response, id, { content }) },
      { callTimeoutMs: 10_000 },
    );
    await registry.tools();
    const result = await callOf(registry, 'h__x');
    expect(Buffer.byteLength(result.text)).toBe(LIMITS.resultTextBytes);
    expect(result.omittedBytes).toBeGreaterThan(LIMITS.resultTextBytes - 10);
    expect(result.attachments?.map(({ data }) => data?.length ?? 0)).toEqual([1_000_000, 0]);
  }, 40_000);

  it('a flood of progress messages from a server is passed on only at intervals', async () => {
    let progressCount = 0;
    const flood: Answer = (response, id, params) => {
      const { _meta: meta } = params as { _meta: { progressToken: unknown } };
      const token = meta.progressToken;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let n = 1; n <= 5_000; n += 1) {
        const progress = { progressToken: token, progress: n, message: 'x'.repeat(100) };
        response.write(
          `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: progress })}\n\n`,
        );
      }
      response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } })}\n\n`);
    };
    const registry = await hostile({ 'tools/call': flood }, { callTimeoutMs: 10_000 });
    await registry.tools();
    await callOf(registry, 'h__x', {}, { onProgress: () => (progressCount += 1) });
    expect(progressCount).toBeGreaterThan(0);
    expect(progressCount).toBeLessThan(200);
  }, 40_000);
});

describe('the tools that a server lists', () => {
  it('descriptions of tools are limited and cleaned, and skipped tools are reported', () => {
    const deep = JSON.parse('{"a":'.repeat(200) + '1' + '}'.repeat(200)) as object;
    const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: 'object' as const }, ...more });
    const { tools, leftOut } = toolListing('h', false, [
      tool('ok', {
        description: 'Fine\u001b[2J\u202e\u{e0041}\u200b text\n',
        annotations: { title: 'T\u0007', readOnlyHint: true },
      }),
      tool('ok'),
      tool(''),
      tool('x'.repeat(200)),
      tool('with space'),
      tool('hidden\u200b'),
      tool('deep', { inputSchema: { type: 'object', properties: deep } }),
      tool('wide', { inputSchema: { type: 'object', description: 'x'.repeat(LIMITS.schemaBytes) } }),
      tool('long', {
        description: 'x'.repeat(1_000_000),
        inputSchema: { type: 'object', properties: { a: { description: 'b\u0000c' } } },
      }),
    ]);
    expect(tools.map(({ spec }) => spec.name)).toEqual(['h__long', 'h__ok']);
    expect(tools[1]?.spec).toMatchObject({
      description: 'Fine[2J text\n',
      annotations: { title: 'T', readOnlyHint: true },
    });
    expect(tools[0]?.spec.description.length).toBe(LIMITS.descriptionChars);
    expect(tools[0]?.spec.inputSchema).toMatchObject({ properties: { a: { description: 'bc' } } });
    expect(leftOut).toHaveLength(7);
  });

  it('aish uses at most a thousand tools of a server', () => {
    const many = Array.from({ length: 100_000 }, (_, n) => ({
      name: `t${n}`,
      inputSchema: { type: 'object' as const },
    }));
    const { tools, leftOut } = toolListing('h', false, many);
    expect([tools.length, leftOut]).toEqual([LIMITS.tools, [`99000 tools beyond the first ${LIMITS.tools}`]]);
  });

  it('any list of tools becomes specs that match the contract', () => {
    const listed = fc.array(
      fc.record({
        name: fc.string({ unit: 'binary', maxLength: 150 }),
        description: fc.option(fc.string({ unit: 'binary' }), { nil: undefined }),
        inputSchema: fc.dictionary(fc.string(), fc.jsonValue()).map((extra) => ({ ...extra, type: 'object' as const })),
        annotations: fc.option(fc.dictionary(fc.constantFrom('title', 'readOnlyHint'), fc.jsonValue()), {
          nil: undefined,
        }),
      }),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(listed, (tools) => {
        const received: Tool[] = JSON.parse(JSON.stringify(tools));
        const specs = toolListing('h', true, received).tools.map(({ spec }) => spec);
        for (const spec of specs) expect(ToolSpec.safeParse(spec).success).toBe(true);
        expect(new Set(specs.map(({ name }) => name)).size).toBe(specs.length);
        expect(new Set(specs.map(({ label }) => label)).size).toBe(specs.length);
      }),
    );
  });
});

describe('arbitrary answers of a server', () => {
  it('any answer to a list or a call is accepted, or refused with a typed error, within a limited time', async () => {
    let answer: unknown = null;
    const registry = await hostile({ 'tools/call': (response, id) => say(response, id, answer) });
    await registry.tools();
    const block = fc.record(
      {
        type: fc.constantFrom('text', 'image', 'audio', 'resource', 'resource_link', 'other'),
        text: fc.jsonValue(),
        data: fc.jsonValue(),
        mimeType: fc.jsonValue(),
        resource: fc.jsonValue(),
        uri: fc.string(),
        name: fc.string(),
      },
      { requiredKeys: ['type'] },
    );
    const result = fc.oneof(
      fc.jsonValue(),
      fc.record(
        { content: fc.array(block), isError: fc.jsonValue(), structuredContent: fc.jsonValue() },
        { requiredKeys: [] },
      ),
    );
    await fc.assert(
      fc.asyncProperty(result, async (value) => {
        answer = value;
        try {
          expect(typeof (await callOf(registry, 'h__x')).text).toBe('string');
        } catch (error) {
          expect(isAishError(error, 'mcp_bad_answer', 'mcp_refused', 'mcp_timeout')).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  }, 60_000);
});

function pages(): Answer {
  let n = 0;
  return (response, id) =>
    say(response, id, { tools: [{ name: `t${n}`, inputSchema: { type: 'object' } }], nextCursor: String((n += 1)) });
}

function raw(type: string, body: string): Answer {
  return (response) => void response.writeHead(200, { 'content-type': type }).end(body);
}
