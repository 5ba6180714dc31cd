import { describe, expect, it } from '@jest/globals';
import { TrustedProxies } from './trusted-proxies.js';

describe('TrustedProxies', () => {
  it('only the given addresses and networks are trusted as proxies, in either notation', () => {
    const proxies = new TrustedProxies(['10.0.0.1', '172.16.0.0/12', 'fd00::/8', '::1']);
    for (const address of ['10.0.0.1', '::ffff:10.0.0.1', '172.31.255.1', 'fd12::3', '::1'])
      expect([address, proxies.has(address)]).toEqual([address, true]);
    for (const address of ['10.0.0.2', '172.32.0.1', 'fe80::1', '127.0.0.1', '', 'proxy'])
      expect([address, proxies.has(address)]).toEqual([address, false]);
    expect(new TrustedProxies([]).has('127.0.0.1')).toBe(false);
  });

  it('a trusted host name covers its current addresses, and none if it cannot be resolved', async () => {
    let addresses = ['172.18.0.5'];
    const proxies = new TrustedProxies(['proxy', 'nobody'], (name) =>
      name === 'proxy' ? Promise.resolve(addresses) : Promise.reject(new Error('ENOTFOUND')),
    );
    expect(proxies.has('172.18.0.5')).toBe(false);
    await proxies.start();
    expect([proxies.has('172.18.0.5'), proxies.has('172.18.0.6')]).toEqual([true, false]);
    proxies.stop();
    addresses = ['172.18.0.6'];
    await proxies.start();
    expect([proxies.has('172.18.0.5'), proxies.has('::ffff:172.18.0.6')]).toEqual([false, true]);
    proxies.stop();
  });
});
