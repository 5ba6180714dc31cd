import { startScriptedModel } from '@aish/demo-model';
import { Brief } from '@aish/contracts/lab';
import { plan } from '@aish/tests/support/plan';
import { SshHost, buildHostImage } from '@aish/tests/support/ssh.hosts';
import { Stack } from '@aish/tests/support/stack';
import { sized, type Benchmark, type Figures } from './benchmark.js';
import { now, percentile } from './statistics.js';

const HOSTS = sized(10, 3);
const ROUNDS = sized(3, 1);
const KEY = 'signs for the hosts of this benchmark, long enough';
/** A host has ten seconds. The rest is the time for signing in, reading and writing. */
const LIMIT_MS = 10_000;

/** Measures `aish brief` over real hosts, in parallel. A host that hangs accepts the connection and sends nothing. */
export const benchmark: Benchmark = {
  name: 'brief',
  about:
    'The daily check over 10 machines with a real sshd each, which run the real probe: one of them, all ten, and ten of which one hangs ' +
    'for ever (its sshd is stopped, so connections are accepted and nobody answers). The nine others must have answered in full.',
  goals: {
    ten_hosts_p50_ms: { op: '<=', value: LIMIT_MS },
    ten_hosts_one_hangs_p50_ms: { op: '<=', value: LIMIT_MS * 1.1 },
    nine_answer_while_one_hangs: { op: '>=', value: HOSTS - 1 },
  },
  async run(progress) {
    await buildHostImage();
    const hosts: SshHost[] = [];
    const model = await startScriptedModel({ script: plan('GOAL: complete') });
    const stack = await Stack.start({
      modelUrl: model.url,
      ownProcesses: true,
      env: { HOSTS_CA_KEY: KEY, LOG_LEVEL: 'warn' },
    });
    try {
      progress('one host');
      const one = await add(stack, hosts, 1);
      const alone = await briefs(stack, one);
      progress(`${HOSTS} hosts`);
      const all = await add(stack, hosts, HOSTS);
      const together = await briefs(stack, all);
      progress('one of them hangs');
      await hosts.at(-1)?.freeze();
      const hanging = await briefs(stack, all - 1);
      return {
        one_host_p50_ms: percentile(alone.took, 0.5),
        ten_hosts_p50_ms: percentile(together.took, 0.5),
        ten_hosts_answered: together.answered,
        ten_hosts_probes_cut_off: together.cutOff,
        ten_hosts_one_hangs_p50_ms: percentile(hanging.took, 0.5),
        nine_answer_while_one_hangs: hanging.answered,
        nine_hosts_probes_cut_off: hanging.cutOff,
      } satisfies Figures;
    } finally {
      await Promise.allSettled([...hosts.map((host) => host.stop()), stack.stop(), model.close()]);
    }
  },
};

/** Starts and adds hosts until there are this many. */
async function add(stack: Stack, hosts: SshHost[], count: number): Promise<number> {
  while (hosts.length < count) {
    const host = await SshHost.start(`h${hosts.length + 1}`);
    hosts.push(host);
    await host.join(stack.client);
  }
  return count;
}

/** @returns times and, for the worst round, how many hosts answered and how many of their probes were cut off */
async function briefs(stack: Stack, expected: number) {
  const took: number[] = [];
  let answered = expected;
  let cutOff = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const begun = now();
    const { hosts } = await stack.client.json(Brief, 'POST', '/v1/brief', {});
    took.push(now() - begun);
    const there = hosts.filter((host) => host.answered);
    answered = Math.min(answered, there.length);
    const late = there.flatMap(({ skipped }) => skipped).filter(({ reason }) => reason.startsWith('it took more than'));
    cutOff = Math.max(cutOff, late.length);
  }
  return { took, answered, cutOff };
}
