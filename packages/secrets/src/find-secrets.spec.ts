import { describe, expect, it } from '@jest/globals';
import { findSecrets } from './find-secrets.js';
import { OWN_RULES } from './own.rules.js';

describe('findSecrets', () => {
  it.each([
    ['github', `ghp_${'a1B2c3D4e5F6'.repeat(3)}`],
    ['slack', 'xoxb-123456789012-123456789012-abcdefghijklmnopqrstuvwx'],
    ['database-connection-string', 'postgres://bob:hunter22secret@db.host/x'],
    ['aws', 'AKIAZ7QWERTYUIOPASDF'],
    ['npm', 'npm_abcdefghijklmnopqrstuvwxyz0123456789'],
  ])('knows a secret of %s by the kept rule set', async (rule, secret) => {
    const text = `note: ${secret} ok`;
    const found = await findSecrets(text);
    expect(found.map((finding) => [finding.rule, text.slice(...finding.span)])).toEqual([[rule, secret]]);
    expect(found[0]?.title).not.toContain(secret);
  });

  it.each(OWN_RULES.flatMap((rule) => rule.finds.map((text) => [rule.id, text] as const)))(
    'finds %s in %j',
    async (id, text) => {
      expect((await findSecrets(`before ${text} after`)).map((finding) => finding.rule)).toContain(id);
    },
  );

  it.each(OWN_RULES.flatMap((rule) => rule.finds.map((text) => [text, rule.isSure ?? true] as const)))(
    'is as sure of %j as its rule: %s',
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
  ])('is not sure of anything in %j', async (text) => {
    expect((await findSecrets(text)).filter(({ isSure }) => isSure)).toEqual([]);
  });

  it.each(OWN_RULES.flatMap((rule) => rule.passes.map((text) => [rule.id, text] as const)))(
    'does not see %s in %j',
    async (_id, text) => {
      expect(await findSecrets(`before ${text}`)).toEqual([]);
    },
  );

  it('finds nothing in plain notes', async () => {
    const notes = [
      'User prefers terse responses; no end-of-turn summaries.',
      'Current project: aish (LuaJIT REPL with MCP tools).',
      'Grafana listens on port 3000 and Prometheus on 9090.',
      'commit ffead3986c6f1f0f5ad8a6a0b3a9d8e7c6b5a493 broke the build',
      'The backup runs at 03:00 and keeps 14 days on /mnt/backup.',
    ];
    expect(await Promise.all(notes.map((note) => findSecrets(note)))).toEqual(notes.map(() => []));
  });

  it('reads hostile megabytes without hanging', async () => {
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
    for (const part of hostile) {
      const text = part.repeat(Math.ceil(1_000_000 / part.length));
      const started = performance.now();
      await findSecrets(text);
      expect(performance.now() - started).toBeLessThan(20_000);
    }
  }, 120_000);

  it('keeps nothing of what it has looked at, and is not slower for it', async () => {
    await findSecrets('once');
    const before = performance.getEntries().length;
    for (let n = 0; n < 20; n += 1) await findSecrets(`text ${n}`);
    expect(performance.getEntries().length).toBe(before);
  });
});
