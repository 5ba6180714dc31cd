import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startOf, type RecordedProcess } from './leftovers.js';
import { ROOT } from './root.js';
import { RESTART_POLICY, afterDeath, type RestartPolicy } from './restart.policy.js';

export interface ChildOptions {
  readonly name: string;
  /** The path of the script for node. */
  readonly main: string;
  /** Programs to put before the command, such as setpriv. Each becomes the next, so that signals reach the service. */
  readonly prefix?: readonly string[];
  /** The complete environment of the child. */
  readonly env: Readonly<Record<string, string>>;
  /** An open file for the child's output. */
  readonly logFd: number;
  /** Called each time the child's process has started. */
  readonly onStart?: () => void;
  /** Called with the reason when the child died and will be restarted. */
  readonly onRestart: (why: string, pauseMs: number) => void;
  /** Called with the reason when the child is not restarted. */
  readonly onGivenUp: (why: string) => void;
  readonly policy?: RestartPolicy;
}

/** A service process that is restarted when it dies. */
export interface Child {
  readonly name: string;
  /** Returns the current process, or null between two processes. */
  running(): Promise<RecordedProcess | null>;
  /** Sends SIGTERM, and SIGKILL after `graceMs`. Resolves when the process is gone. The child is not restarted. */
  stop(graceMs: number): Promise<void>;
  /** Sends SIGKILL at once. The child is not restarted. */
  kill(): void;
}

const LEASH = fileURLToPath(new URL('deploy/launcher/leash.mjs', ROOT));

/**
 * Starts a service in its own process group, so that Ctrl-C reaches only the launcher. A channel tells the service when
 * the launcher is gone (leash.mjs).
 */
export function startChild(options: ChildOptions): Child {
  const { name, prefix = [], policy = RESTART_POLICY } = options;
  const stopped = new AbortController();
  let current: ChildProcess | null = null;
  const deaths: number[] = [];

  const runOnce = (): Promise<string> =>
    new Promise((resolve) => {
      const node = [process.execPath, '--max-semi-space-size=8', '--expose-gc', '--import', LEASH, options.main];
      const [file = '', ...args] = [...prefix, ...node];
      const child = spawn(file, args, {
        detached: true,
        env: { ...options.env },
        stdio: ['ignore', options.logFd, options.logFd, 'ipc'],
      });
      current = child;
      child.once('spawn', () => {
        options.onStart?.();
      });
      child.once('error', (error) => resolve(`could not be started: ${error.message}`));
      child.once('exit', (code, signal) =>
        resolve(signal === null ? `exited with code ${code}` : `ended by ${signal}`),
      );
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
