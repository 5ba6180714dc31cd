import { describe, expect, it } from '@jest/globals';
import { BrowserHosts, csrfOf, type AskingRequest } from './browser-request.js';

const hosts = new BrowserHosts('https://aish.example/base', ['aish.friends.example']);
const TOKEN = 'aish_token';
const PROOF = { 'x-aish-csrf': csrfOf(TOKEN) };

function requestOf(method: string, headers: Record<string, string>, host = 'nas.lan:7717'): AskingRequest {
  const hostname = host.replace(/:\d+$/, '');
  return { method, host, hostname, protocol: 'http', headers: { cookie: `aish_session=${TOKEN}`, ...headers } };
}
const codeOf = (request: AskingRequest): string | null => {
  try {
    return hosts.sessionToken(request);
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('the session of a browser', () => {
  it('a request without the cookie has no browser session', () => {
    expect(codeOf(requestOf('GET', { cookie: 'other=x' }))).toBeNull();
  });

  it.each([
    ['another page reads', 'GET', { origin: 'https://evil.example' }],
    ['another page of this machine reads', 'GET', { origin: 'http://nas.lan:8080' }],
    ['a page without an origin reads', 'GET', { origin: 'null' }],
    ['the browser says that it is another site', 'GET', { 'sec-fetch-site': 'cross-site' }],
    ['the browser says that it is another name of this site', 'GET', { 'sec-fetch-site': 'same-site' }],
    ['another page changes something, with a proof', 'POST', { ...PROOF, origin: 'https://evil.example' }],
  ])('a browser session is refused if %s', (_, method, headers) => {
    expect(codeOf(requestOf(method, headers))).toBe('forbidden');
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'a %s request is refused without the token that only our page can read',
    (method) => {
      const own = { origin: 'http://nas.lan:7717', 'sec-fetch-site': 'same-origin' };
      for (const proof of ['', 'x', csrfOf('aish_other'), `${csrfOf(TOKEN)}x`])
        expect([proof, codeOf(requestOf(method, { ...own, 'x-aish-csrf': proof }))]).toEqual([proof, 'forbidden']);
      expect(codeOf(requestOf(method, { ...own, ...PROOF }))).toBe(TOKEN);
      expect(codeOf(requestOf('GET', own))).toBe(TOKEN);
    },
  );

  it('a browser session is refused under an unknown host name', () => {
    for (const name of ['evil.example', 'aish.example.evil.example', 'nas.lan.evil.example:7717', 'xaish.example'])
      expect([name, codeOf(requestOf('GET', {}, name))]).toEqual([name, 'host_unknown']);
    for (const name of ['aish.example', 'aish.friends.example', 'nas', 'localhost:7717', '192.168.1.2:7717', '[::1]'])
      expect([name, codeOf(requestOf('GET', {}, name))]).toEqual([name, TOKEN]);
  });

  it('the session cookie is hidden from scripts and other sites', () => {
    const cookie = hosts.cookie(requestOf('POST', {}, 'aish.example'), TOKEN, 60);
    expect(cookie.split('; ')).toEqual([
      `aish_session=${TOKEN}`,
      'Path=/base/',
      'Max-Age=60',
      'HttpOnly',
      'SameSite=Strict',
      'Secure',
    ]);
  });
});
