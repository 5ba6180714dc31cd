import { execFile } from 'node:child_process';
import * as files from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GoalList } from '@aish/contracts/goals';
import { Health } from '@aish/contracts/health';
import { UPGRADE_FILE, readUpgrade } from '@aish/contracts/upgrade-file';
import { firstColumn } from '@aish/database/first-column';
import { verifies } from '../../requirements.js';
import { startAish, type RunningCommand } from '../../support/aish.command.js';
import { closeAll } from '../../support/close-all.js';
import { removeDataFolder, startAndKill, startEmbeddedAish, type EmbeddedAish } from '../../support/embedded.aish.js';
import { eventually } from '../../support/eventually.js';
import { makeReleases } from '../../support/releases.js';
import { freePort } from '../../support/service.process.js';

describe('aish upgrade with npm start', () => {
  let dir: string;
  let data: string;
  let port: number;
  let running: EmbeddedAish;

  const options = () => ({ dataDir: data, args: ['--port', String(port), '--demo', '--no-install'] });
  const start = async (): Promise<void> => {
    running = await startEmbeddedAish(options());
  };
  const upgrade = (...args: readonly string[]): RunningCommand =>
    startAish(null, ['upgrade', ...args], { AISH_DATA: data });
  const version = async (): Promise<string> => (await running.client.json(Health, 'GET', '/v1/health')).version;
  const goals = async (): Promise<readonly string[]> =>
    (await running.client.json(GoalList, 'GET', '/v1/goals')).items.map(({ text }) => text);
  const step = async (): Promise<string | null> => (await readUpgrade(join(data, UPGRADE_FILE), files))?.step ?? null;
  const until = (wanted: string, command: RunningCommand) =>
    Promise.race([
      eventually(`the upgrade is ${wanted}`, async () => (await step()) === wanted, { everyMs: 5, timeoutMs: 120_000 }),
      command.ended().then(({ stderr }) => Promise.reject(new Error(`aish upgrade ended early:\n${stderr}`))),
    ]);
  const query = async (statement: string): Promise<readonly string[]> => {
    const [, , , at] = (await files.readFile(join(data, 'postgres/postmaster.pid'), 'utf8')).split('\n');
    const password = (await files.readFile(join(data, 'secrets/database-password'), 'utf8')).trim();
    return firstColumn(`postgresql://postgres:${password}@127.0.0.1:${at}/aish`, statement);
  };

  const databases = `select datname from pg_database where datname like 'aish%'`;

  beforeAll(async () => {
    dir = await files.mkdtemp(join(tmpdir(), 'aish-up-'));
    data = join(dir, 'data');
    port = await freePort();
    const key = join(dir, 'key');
    await promisify(execFile)('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    const signers = `aish ${await files.readFile(`${key}.pub`, 'utf8')}`;
    await makeReleases(join(dir, 'releases'), [
      { version: '0.2.0', change: 'Goals can fly', table: 'second', signers },
      { version: '0.2.9', change: 'Nobody has signed this', table: 'unsigned' },
      { version: '0.3.0', change: 'Goals can dive', table: 'third', isBroken: true, key },
    ]);
    await start();
    await running.client.createGoal('from before');
  }, 240_000);

  afterAll(
    () =>
      closeAll(
        () => running?.stop('SIGTERM'),
        () => removeDataFolder(dir),
      ),
    60_000,
  );

  it(
    verifies('upgrade.command'),
    async () => {
      const release = `${join(dir, 'releases')}#v0.2.0`;
      const unanswered = await upgrade(release).ended();
      expect(unanswered).toMatchObject({ code: 5, stderr: expect.stringContaining('0.1.0 → 0.2.0') });
      expect(unanswered.stderr).toContain('- Goals can fly');
      expect(unanswered.stderr).toContain('Nobody has checked who made it');
      expect(unanswered.stderr).not.toContain('Goals can dive');

      const killed = upgrade(release, '--yes');
      await killed.says(/Installing aish 0\.2\.0/);
      const second = await upgrade(release, '--yes').ended();
      expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('Another aish upgrade is working') });
      killed.kill();
      await killed.ended();
      expect([await version(), await step()]).toEqual(['0.1.0', null]);

      const command = upgrade(release, '--yes');
      await until('wanted', command);
      await running.stop('SIGKILL');
      await startAndKill(options(), (output) =>
        // Looked at often, so that the kill comes before the migration begins.
        eventually('0.2.0 starts', async () => /upgrade: starting 0\.2\.0[^]*database: starting/.test(output()), {
          everyMs: 5,
        }),
      );
      expect(await step()).toBe('kept');
      await start();
      const { code, stdout } = await command.ended();
      expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('aish 0.2.0 runs') });
      expect([await version(), await goals()]).toEqual(['0.2.0', ['from before']]);
      expect(await files.readlink(join(data, 'release'))).toMatch(/releases\/0\.2\.0-/);
      expect(await query('select count(*) from second')).toEqual(['0']);
      await eventually('the copy is removed', async () => (await query(databases)).join() === 'aish');
      // Without an address, the next upgrade looks where this one was.
      const next = await upgrade().ended();
      expect(next).toMatchObject({ code: 5, stderr: expect.stringContaining('0.2.0 → 0.3.0') });
    },
    180_000,
  );

  it(
    verifies('upgrade.signed'),
    async () => {
      const { code, stdout, stderr } = await upgrade(`${join(dir, 'releases')}#v0.2.9`, '--yes').ended();
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/The commit \w{12} of .* is not signed by anyone in .*signers: it has no signature/);
      expect(await version()).toBe('0.2.0');
      const signed = await upgrade(`${join(dir, 'releases')}#v0.3.0`).ended();
      expect(signed.stderr).toContain('A known signer has signed it.');
    },
    60_000,
  );

  it(
    verifies('upgrade.rolls-back'),
    async () => {
      const command = upgrade(`${join(dir, 'releases')}#v0.3.0`, '--yes');
      await eventually('0.3.0 answers', async () => (await version()) === '0.3.0', { timeoutMs: 120_000 });
      await running.client.createGoal('lost and listed');
      await until('failed', command);
      await running.stop('SIGKILL');
      await start();
      const { code, stdout } = await command.ended();
      expect({ code, stdout }).toMatchObject({ code: 5, stdout: expect.stringContaining('aish 0.2.0 runs again') });
      expect(stdout).toContain('goal g2: lost and listed');
      expect([await version(), await goals()]).toEqual(['0.2.0', ['from before']]);
      expect(await query(`select to_regclass('third') is null`)).toEqual(['true']);
      await running.client.createGoal('after');
    },
    180_000,
  );
});
