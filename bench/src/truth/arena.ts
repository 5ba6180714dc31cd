import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

export type State = 'present' | 'absent' | 'foreign';

export interface Task {
  readonly cmd: string;
  /** Whether the named paths exist (the default), are missing, or belong to someone else and are open to all. */
  readonly state?: State;
  /** The paths that the command names. Relative ones start in the workspace. */
  readonly targets?: readonly string[];
  readonly timeoutMs?: number;
  /** The maximum number of characters of output to return. */
  readonly keepChars?: number;
}

/** One difference between the world before and after a command. */
export interface Effect {
  readonly kind: string;
  readonly path: string;
  readonly how?: string;
  readonly to?: string | number;
  /** Whether the deleted content can still be found in the repository. */
  readonly kept?: boolean;
  readonly method?: string;
  readonly body?: string;
}

export interface Outcome {
  readonly code: number;
  readonly timedOut: boolean;
  readonly output: string;
  readonly effects: readonly Effect[];
  /** Whether the container died during the command, so that nothing is known. */
  readonly isBroken: boolean;
}

// The path is the same for src and for dist, where this file is compiled to.
export const besideSource = (name: string): URL => new URL(`../../src/truth/${name}`, import.meta.url);

/** The folders that a command can write to. Each of them is a small file system in memory. */
const ROOTS = ['/workspace', '/tmp', '/var', '/srv', '/opt', '/home', '/mnt', '/media', '/root', '/data', '/backup'];
/** Process 1 needs these capabilities to change owners and to end processes. Commands have none. */
const KEEPER_RIGHTS = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETUID', 'SETGID', 'SETPCAP', 'KILL'];
const IMAGE = 'aish-sandbox:latest';
const ANSWER_TIMEOUT_MS = 30_000;
const MAX_RESTARTS = 200;

/**
 * Returns the arguments for `docker`: no network, nothing of the host, a read-only root, and limits on everything that
 * grows.
 */
export function containerArguments(name: string): readonly string[] {
  const roots = [...ROOTS, '/git'];
  const words = [
    `run --interactive --rm --name ${name} --label dev.aish.bench=truth --log-driver none`,
    '--network none --ipc none --read-only --security-opt no-new-privileges --cap-drop ALL',
    ...KEEPER_RIGHTS.map((right) => `--cap-add ${right}`),
    '--pids-limit 64 --memory 512m --memory-swap 512m --cpus 1',
    '--ulimit core=0 --ulimit nofile=1024 --ulimit fsize=16777216',
    ...roots.map((root) => `--tmpfs ${root}:rw,nosuid,nodev,exec,size=16m`),
    `--user 0:0 --workdir / --entrypoint python3 ${IMAGE} -I -c`,
  ];
  return [...words.join(' ').split(' '), readFileSync(besideSource('arena.py'), 'utf8'), roots.join(',')];
}

/** One container. Commands run one after another, each in the same initial world. */
class Lane {
  readonly #name = `aish-truth-${randomUUID()}`;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  #stderr = '';

  constructor() {
    this.#child = spawn('docker', containerArguments(this.#name), { stdio: 'pipe' });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
    this.#child.stderr.on('data', (piece) => (this.#stderr = `${this.#stderr}${String(piece)}`.slice(-2_000)));
    // A write to a dead process is noticed by the missing answer.
    this.#child.stdin.on('error', () => undefined);
  }

  async ready(): Promise<this> {
    if ((await this.#answer()) === null) throw new Error(`truth: the container did not start: ${this.#stderr}`);
    return this;
  }

  /** Runs a command. Returns null if the container died or does not answer. */
  async run(task: Task): Promise<Omit<Outcome, 'isBroken'> | null> {
    this.#child.stdin.write(`${JSON.stringify({ id: 0, ...task })}\n`);
    const line = await this.#answer();
    return line === null ? null : (JSON.parse(line) as Omit<Outcome, 'isBroken'>);
  }

  async close(): Promise<void> {
    this.#child.stdin.end();
    if (this.#child.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    const removal = spawn('docker', ['rm', '--force', this.#name], { stdio: 'ignore' });
    await Promise.all([ended, new Promise((resolve) => removal.once('exit', resolve))]);
  }

  async #answer(): Promise<string | null> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => (timer = setTimeout(() => resolve(null), ANSWER_TIMEOUT_MS)));
    const next = this.#lines.next().then(({ done, value }) => (done === true ? null : value));
    return Promise.race([next, late]).finally(() => clearTimeout(timer));
  }
}

/** Runs commands in parallel containers. A command takes the next free one. */
export class Arena {
  readonly #free: Lane[] = [];
  readonly #waiting: ((lane: Lane) => void)[] = [];
  #restarts = 0;
  /** The number of commands that were run. */
  executions = 0;

  static async open(lanes: number): Promise<Arena> {
    const arena = new Arena();
    const opened = await Promise.allSettled(Array.from({ length: lanes }, () => new Lane().ready()));
    arena.#free.push(...opened.flatMap((lane) => (lane.status === 'fulfilled' ? [lane.value] : [])));
    const failed = opened.find((lane) => lane.status === 'rejected');
    if (failed === undefined) return arena;
    await arena.close();
    throw failed.reason;
  }

  async run(task: Task): Promise<Outcome> {
    const lane = this.#free.pop() ?? (await new Promise<Lane>((resolve) => this.#waiting.push(resolve)));
    this.executions += 1;
    const outcome = await lane.run(task);
    this.#put(outcome === null ? await this.#replace(lane) : lane);
    if (outcome === null) return { code: -1, timedOut: false, output: '', effects: [], isBroken: true };
    return { ...outcome, isBroken: false };
  }

  /** Closes the containers. Call this when nothing runs any more. */
  async close(): Promise<void> {
    await Promise.all(this.#free.splice(0).map((lane) => lane.close()));
  }

  #put(lane: Lane): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(lane);
    else next(lane);
  }

  async #replace(lane: Lane): Promise<Lane> {
    await lane.close();
    this.#restarts += 1;
    if (this.#restarts > MAX_RESTARTS) throw new Error('truth: the containers do not last');
    return new Lane().ready();
  }
}
