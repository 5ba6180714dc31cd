import { afterEach, describe, expect, it } from '@jest/globals';
import { MailServer } from './testing/mail.server.js';
import { callOf, httpServer, registryOf } from './testing/registry.fixture.js';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function started(...args: Parameters<typeof MailServer.start>) {
  const server = await MailServer.start(...args);
  ends.push(() => server.stop());
  const registry = registryOf([httpServer('post', server.url, { callTimeoutMs: 30_000 })], { pingEveryMs: 5_000 });
  ends.push(() => registry.close());
  await registry.start();
  await registry.tools();
  return { server, registry };
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.each(['sessions', 'stateless', 'sse'] as const)('a call to a server that speaks in the way "%s"', (kind) => {
  it.each([
    ['comes back', true],
    ['stays down', false],
  ])(
    'is lost, and made once, when the server dies at it and %s',
    async (_, restarts) => {
      const { server, registry } = await started(kind, { restarts });
      await expect(callOf(registry, 'post__send_mail')).rejects.toMatchObject({ code: 'mcp_lost' });
      // A second try would have been made by now.
      await sleep(1_000);
      expect(await server.done()).toEqual(['mail']);
    },
    20_000,
  );

  it('runs once when the server has forgotten the session', async () => {
    const { server, registry } = await started(kind, { restarts: true });
    await server.restart();
    expect(await callOf(registry, 'post__note')).toMatchObject({ text: 'noted', isError: false });
    expect(await server.done()).toEqual(['note']);
  }, 20_000);

  it('that cannot be sent is not lost', async () => {
    const { server, registry } = await started(kind, { restarts: false });
    await server.stop();
    await sleep(200);
    await expect(callOf(registry, 'post__note')).rejects.toMatchObject({ code: 'mcp_unreachable' });
  }, 20_000);
});
