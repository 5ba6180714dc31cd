import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { now } from './statistics.js';

const STEP_MS = 1;

/**
 * Runs a program in a pseudo-terminal of 80 by 24, which script(1) creates. It reports output with the time of its
 * arrival.
 */
export class PseudoTerminal {
  /** All output since the last `forget`. */
  private seen = '';
  private readonly startedAt = now();
  private constructor(private readonly child: ChildProcess) {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.seen += text));
  }

  static open(command: string, env: Readonly<Record<string, string>>): PseudoTerminal {
    const line = `stty cols 80 rows 24; exec ${command}`;
    const child = spawn('script', ['-qfec', line, '/dev/null'], {
      env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm-256color', SHELL: '/bin/sh', ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    return new PseudoTerminal(child);
  }

  /** Returns the milliseconds from the start of the program, or from `since`, until it has written `what`. */
  async wrote(what: string | RegExp, since = this.startedAt, timeoutMs = 20_000): Promise<number> {
    for (;;) {
      if (typeof what === 'string' ? this.seen.includes(what) : what.test(this.seen)) return now() - since;
      if (now() - since > timeoutMs) throw new Error(`it did not write ${what} within ${timeoutMs} ms`);
      await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    }
  }

  forget(): void {
    this.seen = '';
  }

  type(text: string): void {
    this.child.stdin?.write(text);
  }

  /** The process ID of the program itself, below script and the shell. */
  get pid(): number {
    const pid = childOf(this.child.pid ?? 0);
    if (pid === null) throw new Error('the program has ended');
    return pid;
  }

  async close(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => this.child.once('close', () => resolve()));
    // This also ends the program in the terminal.
    this.child.kill('SIGTERM');
    await ended;
  }
}

/** Returns the CPU seconds that a process has used. */
export function cpuSeconds(pid: number): number {
  const fields = (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Returns the proportional share of memory of a process, in MB. */
export function pssMb(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1024;
}

function childOf(parent: number): number | null {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(name) === parent);
  const [first] = children;
  return first === undefined ? null : Number(first);
}

function parentOf(pid: string): number | null {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return null; // the process has ended
  }
}
