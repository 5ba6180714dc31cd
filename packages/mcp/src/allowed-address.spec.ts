import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { McpHttpServer } from '@aish/contracts/mcp-config';
import { boundedFetch } from './bounded-fetch.js';
import { requireAllowedAddress } from './allowed-address.js';
import { FixtureServer } from './testing/fixture.server.js';

describe('the allowed addresses of a server', () => {
  let server: FixtureServer;
  let asked = 0;
  beforeAll(async () => {
    server = await FixtureServer.start((_, response) => {
      asked += 1;
      response.end('here');
    });
  });
  afterAll(() => server?.stop());

  const get = async (
    allowedAddresses: McpHttpServer['allowedAddresses'],
    url: string,
    urlInMessage = url,
  ): Promise<string> => {
    const options = {
      connectTimeoutMs: 2_000,
      headers: {},
      server: { url: urlInMessage, allowedAddresses },
      onOverflow: () => undefined,
    };
    const bounded = boundedFetch(options);
    try {
      return await (await bounded.fetch(url)).text();
    } catch (error) {
      return String((error as Error).cause);
    } finally {
      await bounded.close();
    }
  };
  const at = (host: string) => `http://${host}:${server.port}/mcp`;

  it.each([
    '127.0.0.1',
    'localhost',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    '169.254.169.254',
    '10.0.0.1',
    '[fd00:ec2::254]',
  ])('aish does not connect to %s for a server that may only use public addresses', async (host) => {
    asked = 0;
    expect(await get('public', at(host))).toMatch(/aish does not connect to/);
    expect(asked).toBe(0);
    await expect(requireAllowedAddress({ url: at(host), allowedAddresses: 'public' })).rejects.toMatchObject({
      code: 'forbidden',
    });
  });

  it('aish connects to this machine for an admin’s server only if its URL names that exact address', async () => {
    expect(await get('private', at('127.0.0.1'))).toBe('here');
    expect(await get('private', at('localhost'))).toBe('here');
    expect(await get('private', at('127.0.0.1'), 'https://mcp.example/mcp')).toMatch(/by that exact address/);
    expect(await get('private', at('0.0.0.0'))).toMatch(/not an address to connect to/);
    await requireAllowedAddress({ url: 'http://192.168.1.1/mcp', allowedAddresses: 'private' });
  });

  it('a server of the configuration can reach any address, and an unknown name fails only when it connects', async () => {
    expect(await get('any', at('127.0.0.1'), 'https://mcp.example/mcp')).toBe('here');
    await requireAllowedAddress({ url: 'https://does-not-exist.invalid/mcp', allowedAddresses: 'public' });
  });
});
