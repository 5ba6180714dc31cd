import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { eventually } from './eventually.js';

const run = promisify(execFile);
const NAMES = '/run/netns';

/** A network of its own: what runs there reaches the other machine over the cable, and the test. */
export interface Machine {
  readonly namespace: string;
  /** As the other machine reaches it. */
  readonly address: string;
  /** As the test reaches it. */
  readonly fromTest: string;
  /** The test, as it reaches that. */
  readonly test: string;
}

/**
 * Two network namespaces with a switch between them. The test reaches each of them by a way of its own, which stays when
 * the switch is off. Needs root and iproute2.
 */
export class Machines {
  private constructor(
    readonly first: Machine,
    readonly second: Machine,
    private readonly middle: string,
  ) {}

  /** @param firstPid a process whose network becomes the first machine's. */
  static async start(firstPid: number): Promise<Machines> {
    if (process.getuid?.() !== 0) throw new Error('Network namespaces need root');
    await removeForgotten();
    const name = `aish-${process.pid}-${randomInt(1_000)}`;
    // Of the range that is set apart for trying networks out (RFC 2544).
    const at = (host: number): string => `${net}.${host}`;
    const net = `198.${18 + randomInt(2)}.${randomInt(256)}`;
    const machine = (n: number): Machine => ({
      namespace: `${name}-${n}`,
      address: at(n),
      test: at(5 + 4 * n),
      fromTest: at(6 + 4 * n),
    });
    const machines = new Machines(machine(1), machine(2), `${name}-switch`);
    try {
      await machines.build(firstPid);
    } catch (error) {
      await machines.remove();
      throw error;
    }
    return machines;
  }

  /** What is sent from now on vanishes; nobody is told, as with a power cut or a dead switch on the way. */
  async cut(): Promise<void> {
    await ip(['-n', this.middle, 'link', 'set', 'cable', 'down']);
  }

  async join(): Promise<void> {
    await ip(['-n', this.middle, 'link', 'set', 'cable', 'up']);
  }

  async remove(): Promise<void> {
    for (const name of [this.first.namespace, this.second.namespace, this.middle]) await removeNamespace(name);
  }

  private async build(firstPid: number): Promise<void> {
    const { first, second, middle } = this;
    await ip(['netns', 'attach', first.namespace, String(firstPid)]);
    for (const name of [second.namespace, middle]) await ip(['netns', 'add', name]);
    await ip(['-n', middle, 'link', 'add', 'cable', 'type', 'bridge']);
    for (const [n, { namespace, address, test, fromTest }] of [first, second].entries()) {
      await ip(['-n', namespace, 'link', 'set', 'lo', 'up']);
      const port = `port${n}`;
      await ip(['-n', namespace, 'link', 'add', 'cable', 'type', 'veth', 'peer', 'name', port, 'netns', middle]);
      await ip(['-n', middle, 'link', 'set', port, 'master', 'cable', 'up']);
      await ip(['-n', namespace, 'address', 'add', `${address}/29`, 'dev', 'cable']);
      await ip(['-n', namespace, 'link', 'set', 'cable', 'up']);
      // Names of interfaces are 15 characters at most; this end goes with the other one.
      const ours = `aish${process.pid % 1_000_000}m${n}`;
      await ip(['link', 'add', ours, 'type', 'veth', 'peer', 'name', 'test', 'netns', namespace]);
      await ip(['address', 'add', `${test}/30`, 'dev', ours]);
      await ip(['link', 'set', ours, 'up']);
      await ip(['-n', namespace, 'address', 'add', `${fromTest}/30`, 'dev', 'test']);
      await ip(['-n', namespace, 'link', 'set', 'test', 'up']);
    }
    await this.join();
  }
}

async function ip(args: readonly string[]): Promise<void> {
  await run('ip', args, { timeout: 10_000 });
}

async function removeNamespace(name: string): Promise<void> {
  if (!(await readdir(NAMES)).includes(name)) return;
  await eventually(`namespace ${name} is gone`, async () => {
    await ip(['netns', 'delete', name]);
    return true;
  });
}

/** Namespaces of suites that were killed: their names say which process made them. */
async function removeForgotten(): Promise<void> {
  for (const name of await readdir(NAMES).catch(() => [])) {
    const pid = /^aish-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) await removeNamespace(name);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
