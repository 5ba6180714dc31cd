import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Goal } from '@aish/contracts/goals';
import { HostCommandList } from '@aish/contracts/hosts';
import { verifies } from '../requirements.js';
import { eventually } from '../support/eventually.js';
import { plan, plans } from '../support/plan.js';
import { scriptedStack } from '../support/scripted-stack.js';
import { SshHost, buildHostImage } from '../support/ssh.hosts.js';

const goalOf = (...commands: readonly string[]) =>
  plan(...commands.map((command) => `CMD: ${command}`), 'GOAL: complete');

describe('new files on hosts', () => {
  let nas: SshHost;
  const running = scriptedStack(
    plans({
      'write a report': goalOf(
        "ssh nas 'df -h / > /srv/report.txt; cat /srv/report.txt'",
        "ssh nas 'cat /srv/name' | ssh nas 'tee /srv/copy > /dev/null'",
        'for h in nas; do ssh $h "mkdir -p /srv/drill && tar -x -C /srv/drill" < /dev/null; done; true',
      ),
      'write over it': goalOf("ssh nas 'echo new > /srv/there'", "ssh nas 'cat /srv/there'"),
      'write late': goalOf(
        "ssh nas 'cat /srv/name; sleep 4'; ssh nas 'echo new > /srv/late'",
        "ssh nas 'cat /srv/late'",
      ),
    }),
    { env: { HOSTS_CA_KEY: 'the key of this suite that signs for hosts, long enough', CONFIRM_CMD: 'false' } },
  );

  beforeAll(async () => {
    await buildHostImage();
    nas = await SshHost.start('nas');
    await nas.exec('mkdir -p /srv; echo nas > /srv/name; echo old > /srv/there; chown -R aish /srv');
    await nas.join(running.stack.client);
  }, 120_000);
  afterAll(() => nas.stop());

  const give = (text: string): Promise<Goal> =>
    running.stack.client.json(Goal, 'POST', '/v1/goals', { text, hosts: ['nas'] });
  const read = (path: string) => nas.exec(`cat ${path} 2>&1 || true`);

  it(
    verifies('hosts.creates'),
    async () => {
      const { client } = running.stack;
      // Nothing exists at the path, so there is no question.
      const report = await client.until((await give('write a report')).id, 'done');
      expect(report.decisions).toEqual([]);
      expect(report.actions.map(({ outcome }) => outcome?.exitCode)).toEqual([0, 0, 0]);
      expect(await read('/srv/report.txt')).toContain('Filesystem');
      expect(await read('/srv/copy')).toBe('nas\n');
      const { items } = await client.json(HostCommandList, 'GET', '/v1/hosts/nas/commands');
      expect(items.filter(({ verdict }) => verdict === 'creates')).toHaveLength(3);

      // Something exists at the path, so a person is asked. Without the check, the same words overwrite it.
      const over = await give('write over it');
      const asked = await client.decisionOf(over.id);
      expect(asked.classification?.ruleId).toBe('redirect.overwrite');
      expect(await read('/srv/there')).toBe('old\n');
      await client.decide(asked.id, 'proceed');
      await client.until(over.id, 'done');
      expect(await read('/srv/there')).toBe('new\n');

      // Something appears after aish has looked.
      const late = await give('write late');
      await eventually('the slow look', async () => {
        const now = await client.json(HostCommandList, 'GET', '/v1/hosts/nas/commands');
        return now.items.some(({ command }) => command.includes('sleep 4'));
      });
      await nas.exec('echo old > /srv/late; chown aish /srv/late');
      const ended = await client.until(late.id, 'done');
      expect(ended.decisions).toEqual([]);
      expect(ended.actions.map(({ outcome }) => outcome?.exitCode)).toEqual([126, 0]);
      expect(ended.actions[0]?.outcome?.output).toContain('there is something at /srv/late now; nothing ran');
      expect(await read('/srv/late')).toBe('old\n');
    },
    90_000,
  );
});
