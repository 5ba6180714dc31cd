import { spawn, type ChildProcess } from 'node:child_process';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startOf, type RecordedProcess } from './leftovers.js';
import { RESTART_POLICY, afterDeath, type RestartPolicy } from './restart.policy.js';

export interface ChildOptions {
  readonly name: string;
  /** The script that node runs. */
  readonly main: string;
  /** All that it gets of the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** An open file for what it prints. */
  readonly logFd: number;
  /** How far it lets others go first, 0 to 19 as `nice` counts; 0 unless given. */
  readonly niceness?: number;
  /** Told each time that a process of it was started. */
  readonly onStart?: () => void;
  /** Told in words when it died and is started again. */
  readonly onRestart: (why: string, pauseMs: number) => void;
  /** Told in words when it is not started again. */
  readonly onGivenUp: (why: string) => void;
  readonly policy?: RestartPolicy;
}

/** One service as a process that is started again when it dies. */
export interface Child {
  readonly name: string;
  /** The process that runs now; null between two. */
  running(): Promise<RecordedProcess | null>;
  /** SIGTERM, and SIGKILL after `graceMs`; resolves when it is gone. Not started again. */
  stop(graceMs: number): Promise<void>;
  /** SIGKILL, at once. Not started again. */
  kill(): void;
}

const LEASH = fileURLToPath(new URL('../leash.mjs', import.meta.url));

/**
 * Starts a service. It has a process group of its own, so that Ctrl-C reaches the launcher alone, and a channel to the
 * launcher that tells it when the launcher is gone (leash.mjs).
 */
export function startChild(options: ChildOptions): Child {
  const { name, policy = RESTART_POLICY, niceness = 0 } = options;
  const stopped = new AbortController();
  let current: ChildProcess | null = null;
  const deaths: number[] = [];

  const runOnce = (): Promise<string> =>
    new Promise((resolve) => {
      const args = ['--max-semi-space-size=8', '--expose-gc', '--import', LEASH, options.main];
      const child = spawn(process.execPath, args, {
        detached: true,
        env: { ...options.env },
        stdio: ['ignore', options.logFd, options.logFd, 'ipc'],
      });
      current = child;
      child.once('spawn', () => {
        if (child.pid !== undefined && niceness > 0) setPriority(child.pid, niceness);
        options.onStart?.();
      });
      child.once('error', (error) => resolve(`could not be started: ${error.message}`));
      child.once('exit', (code, signal) => resolve(signal === null ? `ended with code ${code}` : `ended by ${signal}`));
    });

  const keepRunning = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const why = await runOnce();
      current = null;
      if (stopped.signal.aborted) return;
      deaths.push(Date.now());
      if (deaths.length > 100) deaths.shift();
      const decision = afterDeath(deaths, Date.now(), policy);
      if (decision.kind === 'give-up') {
        options.onGivenUp(why);
        return;
      }
      options.onRestart(why, decision.pauseMs);
      await sleep(decision.pauseMs, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  };
  const ended = keepRunning();

  return {
    name,
    running: async () => {
      const pid = current?.pid;
      const startedAt = pid === undefined ? null : await startOf(pid);
      return pid === undefined || startedAt === null ? null : { name, pid, startedAt };
    },
    stop: async (graceMs) => {
      stopped.abort();
      current?.kill('SIGTERM');
      const timer = setTimeout(() => current?.kill('SIGKILL'), graceMs);
      await ended;
      clearTimeout(timer);
    },
    kill: () => {
      stopped.abort();
      current?.kill('SIGKILL');
    },
  };
}
