import { join } from 'node:path';
import { AuditList } from '@aish/contracts/audit';
import { Goal, type GoalDetail } from '@aish/contracts/goals';
import { HostCommandList } from '@aish/contracts/hosts';
import { startScriptedModel, type ScriptedModel } from '@aish/demo-model';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifies } from '../../requirements.js';
import { aish } from '../../support/aish.command.js';
import { closeAll } from '../../support/close-all.js';
import { eventually } from '../../support/eventually.js';
import { plan, plans } from '../../support/plan.js';
import { SshHost, buildHostImage } from '../../support/ssh.hosts.js';
import { Stack } from '../../support/stack.js';
import type { Replacement } from '../../support/without-hooks.main.js';

const CA_KEY = 'the key of this suite that signs for hosts, long enough';
const ENDED = ['done', 'blocked', 'failed'];
/** The table and its rule are added in one step, so that either all of it is there or nothing. */
const TABLE = (policy: string, rule = '') =>
  `sudo nft 'add table inet filter; add chain inet filter input { type filter hook input priority 0; policy ${policy}; }${rule === '' ? '' : `; add rule inet filter input ${rule}`}'`;
const goalOf = (...commands: readonly string[]) =>
  plan(...commands.map((command) => `CMD: ${command}`), 'GOAL: complete');
const on = (host: string, command: string) => `ssh ${host} '${command.replaceAll("'", `'\\''`)}'`;

/** These lines switch the undo off: the command runs, and the host knows nothing of an undo. */
const NO_UNDO: readonly Replacement[] = [
  ['norris-worker', 'packages/actions/dist/hosts/host-reverts.js', 'if (kinds.length === 0)', 'if (true)'],
];

describe('commands that can cut their own connection', () => {
  const hosts = new Map<string, SshHost>();
  let model: ScriptedModel;
  let stack: Stack;

  beforeAll(async () => {
    await buildHostImage();
    model = await startScriptedModel({
      script: plans({
        'open the web port': goalOf(
          `${on('good', TABLE('drop', 'tcp dport { 22, 80 } accept'))}; ${on('good', "sudo sh -c 'echo UseDNS no >> /etc/ssh/sshd_config'")}`,
        ),
        'lock the door': goalOf(on('locked', TABLE('drop'))),
        'die with it': goalOf(on('killed', TABLE('drop'))),
        'bare of an undo': goalOf(on('bare', TABLE('drop'))),
        'without root': goalOf(on('plain', 'nft flush ruleset')),
        'run a script': goalOf(on('good', '/home/aish/fine.sh')),
      }),
    });
    stack = await Stack.start({ modelUrl: model.url, env: { HOSTS_CA_KEY: CA_KEY }, quickRecovery: true });
    const names = ['good', 'locked', 'killed', 'bare', 'plain'];
    const started = await Promise.all(names.map((name) => SshHost.start(name, { hasSudo: name !== 'plain' })));
    for (const host of started) {
      hosts.set(host.name, host);
      await host.join(stack.client);
    }
  }, 240_000);
  afterAll(
    () =>
      closeAll(
        ...[...hosts.values()].map((host) => () => host.stop()),
        () => stack?.stop(),
        () => model?.close(),
      ),
    60_000,
  );

  const machine = (name: string): SshHost => {
    const host = hosts.get(name);
    if (host === undefined) throw new Error(`there is no ${name}`);
    return host;
  };
  const rulesOf = (name: string) => machine(name).exec('nft list ruleset');
  const undoOf = (name: string) => machine(name).exec('ls -A /var/lib/aish-back 2>/dev/null || true');
  const begin = async (text: string, host: string) => {
    const { client } = stack;
    const { id } = await client.json(Goal, 'POST', '/v1/goals', { text, hosts: [host] });
    const decision = await client.decisionOf(id);
    const at = { url: client.url, tokenFile: join(stack.dir, 'token') };
    const card = (await aish(at, ['show', `d${decision.number}`])).stdout;
    await client.decide(decision.id, 'proceed');
    return { id, card };
  };
  const isOver = (id: string): Promise<GoalDetail> =>
    eventually(
      'the goal has ended',
      async () => {
        const goal = await stack.client.goal(id);
        return ENDED.includes(goal.state) && goal;
      },
      { timeoutMs: 200_000 },
    );
  const commandsOn = async (name: string) =>
    (await stack.client.json(HostCommandList, 'GET', `/v1/hosts/${name}/commands`)).items;
  const lastRequest = () => JSON.stringify(model.requests.at(-1));

  it(
    verifies('hosts.automatic-revert', 'a good change on a host is confirmed from outside and stays'),
    async () => {
      const { id, card } = await begin('open the web port', 'good');
      expect(card).toContain('automatic revert: good first saves its firewall rules, and restores them 60 s after');
      expect(card).toContain('automatic revert: good first saves the settings of sshd');
      await isOver(id);
      expect(await rulesOf('good')).toContain('dport { 22, 80 } accept');
      expect(await machine('good').exec('tail -n 1 /etc/ssh/sshd_config')).toBe('UseDNS no\n');
      expect(await undoOf('good')).toBe('');
      expect((await commandsOn('good')).map(({ wayBack }) => wayBack)).toEqual(['kept', 'kept']);
      const { items } = await stack.client.json(AuditList, 'GET', '/v1/audit?action=host.way_back');
      expect(items.map(({ facts }) => facts['state']).slice(0, 4)).toEqual(['kept', 'armed', 'kept', 'armed']);
      // The timer of the undo must be gone as well, so that nothing is restored later.
      await eventually('no timer runs', async () => !(await machine('good').exec('ps ax')).includes('aish-back'));
    },
    120_000,
  );

  it('the card says that there is no automatic revert without root, and a harmless script is not reverted', async () => {
    const { id, card } = await begin('without root', 'plain');
    expect(card).toContain('no automatic revert: if this cuts the connection to plain, nothing restores the firewall; aish is not root there'); // prettier-ignore
    await isOver(id);
    expect((await commandsOn('plain')).map(({ wayBack, verdict }) => [wayBack, verdict])).toEqual([[null, 'approved']]);
    await machine('good').exec(
      "printf '#!/bin/sh\\ntouch /tank/fine\\n' > /home/aish/fine.sh; chmod 755 /home/aish/fine.sh",
    );
    const script = await begin('run a script', 'good');
    expect(script.card).toContain(
      'automatic revert: good first saves its firewall rules, the settings of sshd, its addresses',
    );
    await isOver(script.id);
    expect(await machine('good').exec('ls /tank')).toContain('fine');
    expect(await undoOf('good')).toBe('');
  }, 120_000);

  it(
    verifies(
      'hosts.automatic-revert',
      'the host reverts a change that locks aish out, and the model and the person learn this',
    ),
    async () => {
      const { id } = await begin('lock the door', 'locked');
      await eventually('the rules are there', async () => (await rulesOf('locked')).includes('policy drop'));
      await isOver(id);
      expect(await rulesOf('locked')).toBe('');
      expect(lastRequest()).toContain('locked reverted the change at');
      expect((await commandsOn('locked'))[0]).toMatchObject({ wayBack: 'back' });
      const at = { url: stack.client.url, tokenFile: join(stack.dir, 'token') };
      expect((await aish(at, ['host', 'show', 'locked'])).stdout).toContain('the host reverted the change');
    },
    240_000,
  );

  it(
    verifies(
      'hosts.automatic-revert',
      'a host reverts a change although the worker was killed, and the next worker finds out',
    ),
    async () => {
      const { id } = await begin('die with it', 'killed');
      await eventually('the rules are there', async () => (await rulesOf('killed')).includes('policy drop'));
      for (const worker of stack.workers) await worker.kill('SIGKILL');
      await eventually('the host is as it was', async () => (await rulesOf('killed')) === '', { timeoutMs: 120_000 });
      for (const worker of stack.workers) await worker.start();
      await isOver(id);
      expect(lastRequest()).toContain('killed reverted the change at');
      expect((await commandsOn('killed'))[0]).toMatchObject({ wayBack: 'back' });
    },
    300_000,
  );

  it('a firewall change locks aish out for good if the undo is turned off', async () => {
    await stack.without(NO_UNDO, async () => {
      const { id } = await begin('bare of an undo', 'bare');
      await isOver(id);
      // The goal ends only after the connection is known to be broken, and an undo would have come long before.
      await new Promise((resolve) => setTimeout(resolve, 45_000));
      expect(await rulesOf('bare')).toContain('policy drop');
    });
  }, 300_000);
});
