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

describe.each(['sessions', 'stateless', 'sse'] as const)('a call to a server of the kind "%s"', (kind) => {
  it.each([
    ['comes back', true],
    ['stays down', false],
  ])(
    'a call is lost and not repeated if the server dies during it and then %s',
    async (_, restarts) => {
      const { server, registry } = await started(kind, { restarts });
      await expect(callOf(registry, 'post__send_mail')).rejects.toMatchObject({ code: 'mcp_lost' });
      // aish would have made a second attempt by now.
      await sleep(1_000);
      expect(await server.done()).toEqual(['mail']);
    },
    20_000,
  );

  it('a call runs once if the server has forgotten the session', async () => {
    const { server, registry } = await started(kind, { restarts: true });
    await server.restart();
    expect(await callOf(registry, 'post__note')).toMatchObject({ text: 'noted', isError: false });
    expect(await server.done()).toEqual(['note']);
  }, 20_000);

  it('a call that cannot be sent fails as unreachable, not as lost', async () => {
    const { server, registry } = await started(kind, { restarts: false });
    await server.stop();
    await sleep(200);
    await expect(callOf(registry, 'post__note')).rejects.toMatchObject({ code: 'mcp_unreachable' });
  }, 20_000);
});
