import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import * as files from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GoalList } from '@aish/contracts/goals';
import { Health } from '@aish/contracts/health';
import { readUpgrade } from '@aish/contracts/upgrade-file';
import { verifies } from '../../requirements.js';
import { startAish, type CommandResult, type RunningCommand } from '../../support/aish.command.js';
import type { ApiClient } from '../../support/api.client.js';
import { closeAll } from '../../support/close-all.js';
import { makeContainedReleases } from '../../support/composed.releases.js';
import { eventually } from '../../support/eventually.js';
import { HomeContainer } from '../../support/home.container.js';
import { BUILD_TIMEOUT_MS } from '../../support/images.js';
import { freePort } from '../../support/service.process.js';

const run = promisify(execFile);

/** Kills aish when a call to Docker that changes something has ended, if it is the nth one since the journal exists. */
const DOCKER = `#!/bin/sh
real=$(PATH=\${PATH#*:} command -v docker)
case $1 in stop | start | rm | rename | tag | context | run) ;; *) exec "$real" "$@" ;; esac
[ -e "$JOURNAL" ] || exec "$real" "$@"
"$real" "$@"
code=$?
echo >>"$COUNT"
[ "$(wc -l <"$COUNT")" != "$KILL_AT" ] || kill -9 "$PPID"
exit "$code"
`;

describe('aish upgrade of the one image', () => {
  const name = `aish-test-${randomUUID().slice(0, 8)}`;
  let dir: string;
  let root: string;
  let home: HomeContainer;
  let client: ApiClient;

  const journalFile = (): string => join(root, '.git', `${name}-aish-upgrade.json`);
  const upgrade = (release: string, killAt = 0): RunningCommand =>
    startAish(
      null,
      ['upgrade', '--container', name, '--yes', `${join(dir, 'releases')}#${release}`],
      {
        AISH_DATA: join(dir, 'none'),
        PATH: `${join(dir, 'bin')}:${process.env['PATH']}`,
        JOURNAL: journalFile(),
        COUNT: join(dir, `count-${randomUUID()}`),
        KILL_AT: String(killAt),
      },
      300_000,
      root,
    );
  const step = async (): Promise<string | undefined> => (await readUpgrade(journalFile(), files))?.step;
  /** The state after the upgrade to 0.2.0, which the failed upgrade to 0.3.0 has to leave. */
  const upgraded = {
    version: '0.2.0',
    goals: ['from before'],
    settings: `${name} unless-stopped mine`,
    commit: 'v0.2.0',
    containers: name,
  };
  const state = async () => ({
    version: (await client.json(Health, 'GET', '/v1/health')).version,
    goals: (await client.json(GoalList, 'GET', '/v1/goals')).items.map(({ text }) => text),
    settings: await home.inspect('{{.Config.Image}} {{.HostConfig.RestartPolicy.Name}} {{index .Config.Labels "own"}}'),
    commit: (await run('git', ['-C', root, 'describe', '--tags'])).stdout.trim(),
    containers: (await home.shell(`docker ps --all --format '{{.Names}}' --filter name=${name}`)).trim(),
  });
  /** Kills the upgrade after each call of a step, until it ends by itself. */
  const killedEverywhere = async (
    release: string,
  ): Promise<{ readonly kills: number; readonly end: CommandResult }> => {
    let at = 1;
    for (let kills = 0; ; kills += 1) {
      const before = await step();
      const end = await upgrade(release, at).ended();
      if (end.code !== null) return { kills, end };
      at = (await step()) === before ? at + 1 : 1;
      await home.shell(`docker inspect ${name} || docker inspect ${name}-new`);
    }
  };

  beforeAll(async () => {
    await HomeContainer.build();
    dir = await files.mkdtemp(join(tmpdir(), 'aish-up-container-'));
    root = join(dir, 'aish');
    await files.mkdir(join(dir, 'bin'));
    await files.writeFile(join(dir, 'bin/docker'), DOCKER, { mode: 0o755 });
    await makeContainedReleases(join(dir, 'releases'), [
      { version: '0.1.0' },
      { version: '0.2.0', table: 'second' },
      { version: '0.3.0', table: 'third', isBroken: true },
    ]);
    await run('git', ['clone', '--quiet', '--branch', 'v0.1.0', join(dir, 'releases'), root]);
    await run('docker', ['tag', 'aish', name]);
    home = new HomeContainer(name, '--env SAFETY_SECOND_OPINION=off --label own=mine', name, await freePort());
    client = await home.start();
    await client.createGoal('from before');
  }, BUILD_TIMEOUT_MS);

  afterAll(
    () =>
      closeAll(
        () => run('docker', ['rm', '--force', '--volumes', `${name}-new`, `${name}-database`]),
        () => home?.remove(),
        () => run('docker', ['image', 'rm', '--force', name, `${name}:before-upgrade`]),
        () => files.rm(dir, { recursive: true, force: true }),
      ),
    120_000,
  );

  it(
    verifies('upgrade.container'),
    async () => {
      const killed = upgrade('v0.2.0');
      await killed.says(/Building aish 0\.2\.0/);
      killed.kill();
      await killed.ended();
      expect([(await state()).version, await step()]).toEqual(['0.1.0', undefined]);

      const { kills, end } = await killedEverywhere('v0.2.0');
      expect(end).toMatchObject({ code: 0, stdout: expect.stringContaining('aish 0.2.0 runs') });
      expect(kills).toBeGreaterThan(8);
      expect(await state()).toEqual(upgraded);
    },
    600_000,
  );

  it(
    verifies(
      'upgrade.container',
      'if the new version fails, the old one runs again, and what was added in between is listed',
    ),
    async () => {
      const command = upgrade('v0.3.0');
      await eventually('0.3.0 answers', async () => (await state()).version === '0.3.0', { timeoutMs: 120_000 });
      await client.createGoal('lost and listed');
      await eventually('it has failed', async () => (await step()) === 'failed', { timeoutMs: 120_000 });
      command.kill();
      await command.ended();
      const { kills, end } = await killedEverywhere('v0.3.0');
      expect(end).toMatchObject({ code: 5, stdout: expect.stringContaining('aish 0.2.0 runs again') });
      expect(end.stdout).toContain('goal g2: lost and listed');
      expect(kills).toBeGreaterThan(4);
      expect(await state()).toMatchObject(upgraded);
    },
    600_000,
  );
});
