import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { eventually } from './eventually.js';

const run = promisify(execFile);
const NAMES = '/run/netns';

/**
 * A machine with a separate network: its programs reach the other machine only over the cable, and they reach the test.
 */
export interface Machine {
  readonly namespace: string;
  /** The machine's address for the other machine. */
  readonly address: string;
  /** The machine's address for the test. */
  readonly fromTest: string;
  /** The address of the test for this machine. */
  readonly test: string;
}

/**
 * Two network namespaces with a switch between them. The test reaches each of them over a separate link, which stays
 * when the switch is off. This needs root and iproute2.
 */
export class Machines {
  private constructor(
    readonly first: Machine,
    readonly second: Machine,
    private readonly middle: string,
  ) {}

  /** @param firstPid a process whose network becomes that of the first machine */
  static async start(firstPid: number): Promise<Machines> {
    if (process.getuid?.() !== 0) throw new Error('Network namespaces need root');
    await removeForgotten();
    const name = `aish-${process.pid}-${randomInt(1_000)}`;
    // The addresses are in the range that is reserved for network tests (RFC 2544).
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

  /**
   * Cuts the cable: packets that are sent from now on disappear without an error, as in a power failure or with a dead
   * switch.
   */
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
      // Names of interfaces have at most 15 characters. This end is removed together with the other one.
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

/** Removes the namespaces of killed suites, whose names contain the process ID. */
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
