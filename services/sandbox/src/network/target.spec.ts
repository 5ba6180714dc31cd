import { describe, expect, it } from '@jest/globals';
import { absoluteTarget, bracketed, connectTarget } from './target.js';

describe('parsing of destinations', () => {
  it('a host is parsed as in a browser, so that every spelling of an address is recognised', () => {
    const loopback = [
      '127.0.0.1',
      '0x7f.1',
      '2130706433',
      '127.1',
      '0177.0.0.1',
      '127%2e0.0.1',
      '１２７.0.0.1',
      '127.0.0.1.',
    ];
    for (const host of loopback)
      expect([host, connectTarget(`${host}:80`)]).toEqual([host, { host: '127.0.0.1', port: 80, isAddress: true }]);
    expect(connectTarget('[::ffff:7f00:1]:443')).toEqual({ host: '127.0.0.1', port: 443, isAddress: true });
    expect(connectTarget('[FD00::1]:443')).toEqual({ host: 'fd00::1', port: 443, isAddress: true });
    expect(connectTarget('Www.Example.ORG.:443')).toEqual({ host: 'www.example.org', port: 443, isAddress: false });
  });

  it('a text without a host and port, or with more than these, is not a destination', () => {
    const odd = [
      '',
      'host',
      'host:',
      ':443',
      'host:0',
      'host:65536',
      'host:1:2',
      'a b:80',
      'user@host:80',
      'host/x:80',
      '-x-:80',
    ];
    for (const authority of odd) expect([authority, connectTarget(authority)]).toEqual([authority, null]);
    expect(connectTarget(`${'a'.repeat(254)}:80`)).toBeNull();
  });

  it('the destination and path of a plain request come from its URL, with 80 as the default port', () => {
    expect(absoluteTarget('http://Example.com/a?b#c')).toEqual({
      target: { host: 'example.com', port: 80, isAddress: false },
      path: '/a?b',
    });
    expect(absoluteTarget('http://[::1]:8080')).toMatchObject({ target: { host: '::1', port: 8080 }, path: '/' });
    for (const text of ['/a', 'https://example.com/', 'ftp://x/', 'http://', 'http://a b/'])
      expect([text, absoluteTarget(text)]).toEqual([text, null]);
  });

  it('an IPv6 address in a destination is written in brackets', () => {
    expect([bracketed('::1'), bracketed('10.0.0.1'), bracketed('a.b')]).toEqual(['[::1]', '10.0.0.1', 'a.b']);
  });
});
