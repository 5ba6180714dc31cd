import { describe, expect, it } from '@jest/globals';
import { findSecrets, maskSecrets } from './find-secrets.js';
import { OWN_RULES } from './own.rules.js';

describe('findSecrets', () => {
  it.each([
    ['github', `ghp_${'a1B2c3D4e5F6'.repeat(3)}`],
    ['slack', 'xoxb-123456789012-123456789012-abcdefghijklmnopqrstuvwx'],
    ['database-connection-string', 'postgres://bob:hunter22secret@db.host/x'],
    ['aws', 'AKIAZ7QWERTYUIOPASDF'],
    ['npm', 'npm_abcdefghijklmnopqrstuvwxyz0123456789'],
  ])('findSecrets finds a secret of %s with the rule set', async (rule, secret) => {
    const text = `note: ${secret} ok`;
    const found = await findSecrets(text);
    expect(found.map((finding) => [finding.rule, text.slice(...finding.span)])).toEqual([[rule, secret]]);
    expect(found[0]?.title).not.toContain(secret);
  });

  it.each(OWN_RULES.flatMap((rule) => rule.finds.map((text) => [rule.id, text] as const)))(
    'findSecrets finds %s in %j',
    async (id, text) => {
      expect((await findSecrets(`before ${text} after`)).map((finding) => finding.rule)).toContain(id);
    },
  );

  it.each(OWN_RULES.flatMap((rule) => rule.finds.map((text) => [text, rule.isSure ?? true] as const)))(
    'findSecrets is as sure of %j as its rule is: %s',
    async (text, isSure) => {
      expect((await findSecrets(`before ${text} after`)).some((finding) => finding.isSure)).toBe(isSure);
    },
  );

  it.each([
    'Password login is off.',
    'Logging in with a password is switched off',
    'the password manager is down',
    'The password is outdated, ask Craig.',
    'psk is the mode of the access point',
  ])('findSecrets is not sure of any secret in %j', async (text) => {
    expect((await findSecrets(text)).filter(({ isSure }) => isSure)).toEqual([]);
  });

  it.each(OWN_RULES.flatMap((rule) => rule.passes.map((text) => [rule.id, text] as const)))(
    'findSecrets does not find %s in %j',
    async (_id, text) => {
      expect(await findSecrets(`before ${text}`)).toEqual([]);
    },
  );

  it('findSecrets finds nothing in plain notes', async () => {
    const notes = [
      'User prefers terse responses; no end-of-turn summaries.',
      'Current project: aish (LuaJIT REPL with MCP tools).',
      'Grafana listens on port 3000 and Prometheus on 9090.',
      'commit ffead3986c6f1f0f5ad8a6a0b3a9d8e7c6b5a493 broke the build',
      'The backup runs at 03:00 and keeps 14 days on /mnt/backup.',
    ];
    expect(await Promise.all(notes.map((note) => findSecrets(note)))).toEqual(notes.map(() => []));
  });

  it('findSecrets reads a megabyte of hostile text without hanging', async () => {
    const hostile = [
      'password ',
      'password is ',
      'secret-',
      'token token ',
      'eyJaaaaaaaaa.',
      'sk-',
      'PIN of a ',
      'a_-',
      'curl -u a:',
      'mysql ',
      'echo x ',
      'Bearer a',
      'a://:',
      'a://b:',
      'login: a / ',
      'community ',
      'machine a login b ',
      'snmpwalk -c ',
      'a_pass',
      '"auth": "',
    ];
    // Other suites may run beside this one, so only the time of the processor counts, in microseconds.
    for (const part of hostile) {
      const text = part.repeat(Math.ceil(1_000_000 / part.length));
      const started = process.cpuUsage();
      await findSecrets(text);
      expect(process.cpuUsage(started).user).toBeLessThan(20_000_000);
    }
  }, 120_000);

  it('findSecrets leaves no performance entries behind', async () => {
    await findSecrets('once');
    const before = performance.getEntries().length;
    for (let n = 0; n < 20; n += 1) await findSecrets(`text ${n}`);
    expect(performance.getEntries().length).toBe(before);
  });
});

describe('maskSecrets', () => {
  it('maskSecrets replaces certain secrets by ***, even several in one text, and keeps everything else', async () => {
    const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const key = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC'.repeat(20)}\n-----END PRIVATE KEY-----`;
    const text = `a ${token}\nthe password manager is down\n${key}\nb ${token}`;
    const masked = await maskSecrets(text);
    expect(masked).not.toMatch(/ghp_|MIIE/);
    expect(masked).toMatch(/^a \*\*\*\nthe password manager is down\n\*\*\*.*\nb \*\*\*$/);
    expect(await maskSecrets('nothing secret')).toBe('nothing secret');
  });
});
