import { McpRegistry } from '@aish/mcp';

// This makes three concurrent calls of a tool that asks for a name, and each call gets another answer. It is a separate
// process, because the test runner loses Node's async context, which tells to which call a message belongs.
const NAMES = ['Ada', 'Bob', 'Eve'];
const registry = new McpRegistry({
  configured: [
    {
      alias: 'every',
      kind: 'http',
      url: process.argv[2] ?? '',
      transport: 'streamable',
      headers: {},
      bearerToken: null,
      oauth: null,
      allowedAddresses: 'any',
      protocol: 'auto',
      trusted: false,
      autoApprove: false,
      connectTimeoutMs: 10_000,
      callTimeoutMs: 10_000,
    },
  ],
  store: null,
  programs: null,
  version: '0',
  log: () => undefined,
  oauth: null,
});
await registry.start();
await registry.tools();
const results = await Promise.all(
  NAMES.map((name, n) =>
    registry.call(
      { id: String(n), name: 'every__trigger-elicitation-request', arguments: '{}' },
      { sessionId: name, owner: name, goalId: null },
      AbortSignal.timeout(20_000),
      {
        elicit: async () => {
          // The first call is answered last.
          await new Promise((resolve) => setTimeout(resolve, 300 - n * 100));
          return { action: 'accept', content: { name } };
        },
      },
    ),
  ),
);
await registry.close();
process.stdout.write(JSON.stringify(results.map(({ text }) => /Name: (\w+)/.exec(text)?.[1] ?? text)));
