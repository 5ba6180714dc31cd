import { describe, expect, it } from '@jest/globals';
import { ApiConfig } from './api.config.js';
import { parseConfig } from './parse-config.js';
import { presetsOf } from './presets.settings.js';
import { WorkerConfig } from './worker.config.js';

const good = { DATABASE_URL: 'postgresql://u:p@localhost/aish', SANDBOX_TOKEN: 'x'.repeat(20) };
const noFiles = (path: string): string => {
  throw Object.assign(new Error(path), { code: 'ENOENT' });
};

describe('parseConfig', () => {
  it('missing settings get their defaults', () => {
    expect(parseConfig(WorkerConfig, good, noFiles)).toMatchObject({ WORKER_CONCURRENCY: 4, SAFETY_PRESET: 'fast' });
  });

  it('parseConfig reports all errors at once, and repeats no value', () => {
    const env = { DATABASE_URL: 'mysql://secret', SANDBOX_TOKEN: 'short-secret', WORKER_CONCURRENCY: '0' };
    const fail = () => parseConfig(WorkerConfig, env, noFiles);
    expect(fail).toThrow(/DATABASE_URL: [\s\S]*WORKER_CONCURRENCY: /);
    expect(fail).toThrow(/SANDBOX_TOKEN: /);
    expect(fail).not.toThrow(/secret/);
  });

  it('TRUSTED_PROXIES accepts addresses, networks and names, and refuses invalid entries', () => {
    const api = { ...good, TOKEN_FILE: '/token' };
    const proxies = (text: string) =>
      parseConfig(ApiConfig, { ...api, TRUSTED_PROXIES: text }, noFiles).TRUSTED_PROXIES;
    expect(parseConfig(ApiConfig, api, noFiles).TRUSTED_PROXIES).toEqual([]);
    expect(proxies('10.0.0.2, 172.16.0.0/12,fd00::/8')).toEqual(['10.0.0.2', '172.16.0.0/12', 'fd00::/8']);
    expect(proxies('aish-tls proxy.lan')).toEqual(['aish-tls', 'proxy.lan']);
    for (const wrong of ['10.0.0', '10.0.0.0/33', 'proxy/24', '*', '-x', 'true'])
      expect(() => proxies(wrong)).toThrow(/TRUSTED_PROXIES/);
  });

  it('a setting can come from the file that X_FILE names, but not if it is also set directly', () => {
    const files = (path: string) => (path === '/t' ? `${'y'.repeat(20)}\n` : noFiles(path));
    const { SANDBOX_TOKEN: _, ...rest } = good;
    expect(parseConfig(WorkerConfig, { ...rest, SANDBOX_TOKEN_FILE: '/t' }, files).SANDBOX_TOKEN).toBe('y'.repeat(20));
    expect(() => parseConfig(WorkerConfig, { ...good, SANDBOX_TOKEN_FILE: '/t' }, files)).toThrow(/set one/);
    expect(() => parseConfig(WorkerConfig, { ...rest, SANDBOX_TOKEN_FILE: '/absent' }, files)).toThrow(
      /cannot read \/absent \(ENOENT\)/,
    );
  });
});

describe('presetsOf', () => {
  it('the preset deep inherits missing settings from fast, but never a key for another endpoint', () => {
    const config = parseConfig(
      WorkerConfig,
      {
        ...good,
        FAST_BASE_URL: 'http://a:1/v1/',
        FAST_MODEL: 'm',
        FAST_API_KEY: 'k',
        DEEP_BASE_URL: 'http://b:2',
        DEEP_MODEL: 'big',
      },
      noFiles,
    );
    expect(presetsOf(config)).toMatchObject([
      { name: 'fast', baseUrl: 'http://a:1', model: 'm', apiKey: 'k' },
      { name: 'deep', baseUrl: 'http://b:2', model: 'big', apiKey: null },
    ]);
  });

  it('the error for an unknown field of a preset names the field', () => {
    const env = { ...good, PRESETS: '[{"name":"deep","temperatur":1}]' };
    expect(() => parseConfig(WorkerConfig, env, noFiles)).toThrow(/PRESETS\.0: .*"temperatur"/);
  });

  it('PRESETS can extend the presets fast and deep, and add new ones', () => {
    const entries = [
      { name: 'fast', temperature: 0.7, idleTimeoutMs: 9_000, fallback: 'spare' },
      { name: 'deep', baseUrl: 'http://c:3' },
      { name: 'spare', baseUrl: 'http://d:4/v1', maxTokens: 64 },
    ];
    const env = { ...good, FAST_MODEL: 'm', FAST_API_KEY: 'k', PRESETS: JSON.stringify(entries) };
    expect(presetsOf(parseConfig(WorkerConfig, env, noFiles))).toMatchObject([
      {
        name: 'fast',
        model: 'm',
        apiKey: 'k',
        temperature: 0.7,
        maxTokens: 2_048,
        idleTimeoutMs: 9_000,
        fallback: 'spare',
      },
      { name: 'deep', model: 'm', apiKey: null, baseUrl: 'http://c:3', temperature: null },
      { name: 'spare', model: null, baseUrl: 'http://d:4', maxTokens: 64, totalTimeoutMs: 1_800_000 },
    ]);
  });
});
