import { describe, expect, it } from '@jest/globals';
import { checkSettings, redacted, settings, settingsExample, settingsReference, shownSettings } from './settings.js';
import { isChanged } from './shown-settings.js';
import { parseConfig } from './config/parse-config.js';
import { SandboxConfig } from './config/sandbox.config.js';

const made = {
  DATABASE_URL: 'postgresql://aish@db/aish',
  SANDBOX_TOKEN: 'x'.repeat(20),
  SANDBOX_STATE_DIR: '/var/lib/aish',
  TOKEN_FILE: '/var/lib/aish/token',
};
const noFiles = (path: string): string => {
  throw Object.assign(new Error(path), { code: 'ENOENT' });
};
const check = (text: string, env = {}) => checkSettings(text, env, made, noFiles);

describe('settings', () => {
  it('every setting has a description and is defined once', () => {
    const all = settings();
    expect(all.length).toBeGreaterThan(40);
    expect(all.filter(({ about }) => about === '')).toEqual([]);
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    expect(all.find(({ name }) => name === 'SANDBOX_TOKEN')).toMatchObject({ isSecret: true, isRequired: true });
    expect(settingsReference().split('\n').length).toBeGreaterThan(all.length);
  });

  it('the example settings file changes nothing, and is valid with every line enabled', () => {
    expect(check(settingsExample())).toEqual([]);
    const everything = settingsExample()
      .split('\n')
      .filter((line) => /^#[A-Z_]+=./.test(line))
      .map((line) => line.slice(1))
      .join('\n');
    expect(everything).toContain('RUN_PIDS=256');
    expect(check(everything)).toEqual([]);
  });
});

describe('checkSettings', () => {
  it.each([
    ['WEBHOOK_URL=https://x', 'WEBHOOK_URL: needs WEBHOOK_SECRET'],
    ['SMTP_URL=smtps://mail.example', 'SMTP_URL: needs MAIL_FROM and MAIL_TO'],
    ['NOTIFY_ON=halt,finished', 'NOTIFY_ON: finished is unknown; the events are halt, '],
    ['OIDC_ISSUER=https://id.example', 'OIDC_ISSUER: needs OIDC_CLIENT_ID and PUBLIC_URL'],
    ['SAFETY_RULES=[{"id":"X"}]', 'SAFETY_RULES: 0.id: '],
    ['SAFETY_PRESET=quick', 'SAFETY_PRESET: There is no preset quick. The presets are fast, deep'],
    ['PRESETS=[{"name":"fast","fallback":"fast"}]', 'PRESETS: Preset fast cannot fall back to itself'],
    ['PRESETS=[{"name":"big"}]', 'PRESETS.0.baseUrl: is missing'],
    ['PRESETS=[{"name":"fast","temprature":1}]', 'PRESETS.0: Unrecognized key: "temprature"'],
    ['FAST_TEMPERATURE=0.2', 'FAST_TEMPERATURE: no longer exists; set "temperature" of preset fast in PRESETS'],
    ['WEB_HOSTS=aish.example', 'WEB_HOSTS: no longer exists; put its value into ALLOWED_HOSTS'],
    ['MODEL_IDLE_TIMEOUT_MS=1', '"idleTimeoutMs" of preset fast (and of others) in PRESETS'],
    ['TOOL_TIMEOUT_MS=1', 'TOOL_TIMEOUT_MS: no longer exists; aish now uses a fixed value'],
    ['MCP_SERVERS={', 'MCP_SERVERS: must be JSON'],
    [
      'SANDBOX_HOST_FOLDERS=[{"name":"e","hostPath":"/etc/x","containerPath":"/mnt/e"}]',
      'SANDBOX_HOST_FOLDERS: e: /etc/x is within /etc, which is never mounted',
    ],
  ])('checkSettings refuses settings that a service refuses when it starts: %s', (text, fault) => {
    expect(check(text)).toEqual([expect.stringContaining(fault)]);
  });

  it('checkSettings reports all errors of all services once, and never repeats a value', () => {
    const faults = check('RUN_PIDS=two\nLOG_LEVEL=loud\nFAST_API_KEY_FILE=/nowhere\nFAST_BASE_ULR=http://secret\n');
    expect(faults).toHaveLength(4);
    expect(faults.join('\n')).toMatch(/RUN_PIDS: /);
    expect(faults.join('\n')).toMatch(/LOG_LEVEL: /);
    expect(faults.join('\n')).toMatch(/FAST_API_KEY_FILE: cannot read \/nowhere \(ENOENT\)/);
    expect(faults.join('\n')).toContain('FAST_BASE_ULR: there is no such setting; did you mean FAST_BASE_URL?');
    expect(faults.join('\n')).not.toContain('secret');
  });

  it('checkSettings lets the environment override the file', () => {
    expect(check('RUN_PIDS=two', { RUN_PIDS: '64' })).toEqual([]);
    expect(check('FAST_API_KEY=a', { FAST_API_KEY_FILE: '/nowhere' })).toHaveLength(1);
  });
});

describe('AISH_CONFIG', () => {
  const files = (text: string) => (path: string) => (path === '/aish.env' ? text : noFiles(path));
  const env = { AISH_CONFIG: '/aish.env', SANDBOX_TOKEN: made.SANDBOX_TOKEN, SANDBOX_STATE_DIR: '/s' };

  it('parseConfig lets the environment override the settings file', () => {
    const read = files('# words\nRUN_PIDS=99\nexport LOG_LEVEL="debug"\nPORT=1\n');
    expect(parseConfig(SandboxConfig, { ...env, PORT: '2', LOG_LEVEL: '' }, read)).toMatchObject({
      RUN_PIDS: 99,
      LOG_LEVEL: 'debug',
      PORT: 2,
    });
  });

  it('parseConfig reports an unreadable settings file', () => {
    expect(() => parseConfig(SandboxConfig, { ...env, AISH_CONFIG: '/other' }, noFiles)).toThrow(
      /AISH_CONFIG: cannot read \/other \(ENOENT\)/,
    );
  });
});

describe('redacted', () => {
  it('redacted hides secrets and the passwords in URLs', () => {
    const shown = redacted({
      SANDBOX_TOKEN: 'hidden',
      FAST_API_KEY: 'hidden',
      DATABASE_URL: 'postgresql://aish:hidden@db/aish',
      PORT: 1,
      DEEP_API_KEY: undefined,
    });
    expect(JSON.stringify(shown)).not.toContain('hidden');
    expect(shown).toMatchObject({ DATABASE_URL: 'postgresql://aish:[redacted]@db/aish', PORT: 1 });
  });

  it.each([
    ['https://hidden@github.com/me/kb.git', 'https://[redacted]@github.com/me/kb.git'],
    ['redis://:hidden@cache:6379', 'redis://:[redacted]@cache:6379'],
    [
      'postgresql://aish@db/aish?sslmode=require&password=hidden',
      'postgresql://aish@db/aish?sslmode=require&password=[redacted]',
    ],
    ['git@forge.lan:me/kb.git', 'git@forge.lan:me/kb.git'],
  ])('redacted shows no token of an address: %s', (value, shown) => {
    expect(redacted({ VALUE: value })).toEqual({ VALUE: shown });
  });
});

describe('shownSettings', () => {
  const files = (path: string): string =>
    ({
      '/aish.env': 'LOG_LEVEL=debug\nPORT=7000\nSAFETY_SECOND_OPINION=\n',
      '/secret': 'hidden\n',
      '/url': 'http://gpu.lan\n',
    })[path] ?? noFiles(path);
  const env = {
    ...made,
    AISH_CONFIG: '/aish.env',
    PORT: '7001',
    FAST_API_KEY_FILE: '/secret',
    FAST_BASE_URL_FILE: '/url',
    DATABASE_URL: 'postgresql://aish:hidden@db/aish',
    MCP_SERVERS: '{"hidden":1}',
    MAX_CHAT_STEPS: '24',
  };
  const shown = shownSettings('api', env, files);
  const of = (name: string) => shown.find((setting) => setting.name === name);

  it('shownSettings shows the source and the effective value of each setting', () => {
    expect(of('PORT')).toMatchObject({ value: '7001', source: 'environment', byDefault: '7717' });
    expect(of('LOG_LEVEL')).toMatchObject({ value: 'debug', source: 'file' });
    expect(of('FAST_BASE_URL')).toMatchObject({ value: 'http://gpu.lan', source: 'environment' });
    expect(of('CONFIRM_CMD')).toMatchObject({ value: 'true', source: 'default' });
    expect(of('SAFETY_SECOND_OPINION')).toMatchObject({ source: 'default' });
    expect(of('RUN_PIDS')).toBeUndefined();
    expect(shown.filter(({ about }) => about === '')).toEqual([]);
  });

  it('shownSettings does not show the value of a secret', () => {
    expect(of('FAST_API_KEY')).toMatchObject({ value: null, isSecret: true, source: 'environment' });
    expect(of('MCP_SERVERS')).toMatchObject({ value: null, isSecret: true });
    expect(of('NTFY_TOKEN')).toMatchObject({ value: null, source: 'default' });
    expect(JSON.stringify(shown)).not.toContain('hidden');
  });

  it('a setting counts as changed if its value differs from the default', () => {
    const changed = shown.filter(isChanged).map(({ name }) => name);
    expect(changed).toEqual(expect.arrayContaining(['PORT', 'LOG_LEVEL', 'FAST_API_KEY', 'FAST_BASE_URL']));
    expect(changed).not.toContain('MAX_CHAT_STEPS');
    expect(changed).not.toContain('CONFIRM_CMD');
  });
});
