import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { HostAuthority } from '@aish/actions';
import { Goal } from '@aish/contracts/goals';
import { startScriptedModel } from '@aish/demo-model';
import { eventually } from '@aish/tests/support/eventually';
import { plan, plans } from '@aish/tests/support/plan';
import { SshHost, buildHostImage } from '@aish/tests/support/ssh.hosts';
import { Stack } from '@aish/tests/support/stack';
import { sized, type Benchmark } from './benchmark.js';
import { SPACE, TwoPorts, httpsFigures } from './reach.https.js';
import { now, percentile } from './statistics.js';

const run = promisify(execFile);
const CA_KEY = 'the key of this benchmark that signs for hosts, long enough';
const TIMES = sized(30, 3);
const HOSTS = sized(20, 2);
/** This limit is long, because a busy machine is slow. */
const MEASURED_WITHIN_MS = 300_000;
const NAMES = Array.from({ length: HOSTS }, (_, n) => `host-${n}`);
const ONE_BY_ONE = `for i in $(seq ${TIMES}); do a=\${EPOCHREALTIME/./}; ssh host-0 true; echo $(( \${EPOCHREALTIME/./} - a )); done`;
const AT_ONCE = `a=\${EPOCHREALTIME/./}; ${NAMES.map((name) => `ssh ${name} true &`).join(' ')} wait; echo $(( \${EPOCHREALTIME/./} - a ))`;

/** Measures the overhead of a command on a host: asking, judging, recording, signing and relaying. */
export const benchmark: Benchmark = {
  name: 'reach',
  about:
    `\`ssh HOST true\` ${TIMES} times from a command's container, against OpenSSH's own client on this host with a certificate of the same ` +
    `kind, to the same sshd in a container, before and after. Then ${HOSTS} hosts at once, both ways. HTTPS from a command to one server at two ports: ` +
    `a secret goes to one, so its TLS is ended; the other is tunnelled. A request with a connection of its own, and 100 MiB.`,
  goals: {
    ratio_p50: { op: '<=', value: 1.5 },
    https_added_p50_ms: { op: '<=', value: 5 },
    https_throughput_ratio: { op: '>=', value: 0.5 },
  },
  async run(progress) {
    await buildHostImage();
    const dir = await mkdtemp(join(tmpdir(), 'aish-reach-'));
    const web = await TwoPorts.open(dir);
    const model = await startScriptedModel({
      script: plans({
        measure: plan(`CMD: ${ONE_BY_ONE}`, `CMD: ${AT_ONCE}`, `CMD: ${AT_ONCE}`, 'GOAL: complete'),
        requests: plan(`CMD: ${web.command}`, 'GOAL: complete'),
      }),
    });
    const hosts: SshHost[] = [];
    let stack: Stack | null = null;
    try {
      const env = { HOSTS_CA_KEY: CA_KEY, LOG_LEVEL: 'warn' };
      stack = await Stack.start({ modelUrl: model.url, ownProcesses: true, env });
      for (const name of NAMES) hosts.push(await SshHost.start(name));
      for (const host of hosts) await host.join(stack.client);
      progress(`${HOSTS} hosts listen`);
      await web.give(stack);
      const [https = ''] = await through(stack, { text: 'requests', space: SPACE });
      const before = await plain(dir, hosts[0], TIMES);
      const outputs = await through(stack, { text: 'measure', hosts: NAMES });
      const after = await plain(dir, hosts[0], TIMES);
      const together = await plainAtOnce(dir, hosts);
      const aish = (outputs[0] ?? '')
        .trim()
        .split('\n')
        .map((line) => Number(line) / 1000);
      const plainP50 = percentile([...before, ...after], 0.5);
      return {
        plain_p50_ms: plainP50,
        aish_p50_ms: percentile(aish, 0.5),
        aish_p95_ms: percentile(aish, 0.95),
        ratio_p50: percentile(aish, 0.5) / plainP50,
        plain_20_at_once_ms: together,
        aish_20_at_once_ms: Number(outputs[2]?.trim()) / 1000,
        ...httpsFigures(https),
      };
    } finally {
      await Promise.all(hosts.map((host) => host.stop()));
      await stack?.stop();
      await model.close();
      await web.close();
      await rm(dir, { recursive: true, force: true });
    }
  },
};

/** Returns the output of the commands of one goal. */
async function through({ client }: Stack, given: object): Promise<readonly string[]> {
  const { id } = await client.json(Goal, 'POST', '/v1/goals', given);
  const isDone = async () => {
    const found = await client.goal(id);
    const decision = (await client.pendingDecisions()).find(({ goalId }) => goalId === id);
    if (decision !== undefined) await client.decide(decision.id, 'proceed');
    return found.state === 'done' && found;
  };
  const goal = await eventually('all is measured', isDone, { timeoutMs: MEASURED_WITHIN_MS });
  return goal.actions.map(({ outcome }) => outcome?.output ?? '');
}

/** Returns a function that runs OpenSSH's own client, with a certificate that was signed in advance. */
async function ssh(dir: string, { name, address }: SshHost, n: number): Promise<() => Promise<void>> {
  const [key, certificate] = [join(dir, `${name}-${n}`), join(dir, `${name}-${n}-cert`)];
  const signed = new HostAuthority(CA_KEY).sign({ host: name, command: 'true', serial: 1, id: 'bench' });
  await Promise.all([
    writeFile(key, signed.privateKey, { mode: 0o600 }),
    writeFile(certificate, `${signed.certificate}\n`),
  ]);
  const options = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'BatchMode=yes', 'LogLevel=ERROR', 'IdentitiesOnly=yes', `CertificateFile=${certificate}`]; // prettier-ignore
  const args = ['-F', '/dev/null', '-i', key, ...options.flatMap((each) => ['-o', each]), `aish@${address}`, 'true'];
  return async () => void (await run('ssh', args));
}

async function plain(dir: string, host: SshHost | undefined, times: number): Promise<number[]> {
  const taken: number[] = [];
  if (host === undefined) return taken;
  for (let n = 0; n < times; n += 1) {
    const once = await ssh(dir, host, n);
    const from = now();
    await once();
    taken.push(now() - from);
  }
  return taken;
}

async function plainAtOnce(dir: string, hosts: readonly SshHost[]): Promise<number> {
  const all = await Promise.all(hosts.map((host) => ssh(dir, host, 0)));
  const from = now();
  await Promise.all(all.map((once) => once()));
  return now() - from;
}
