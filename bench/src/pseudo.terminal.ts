import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { now } from './statistics.js';

const STEP_MS = 1;

/** A program in a pseudo-terminal of 80 by 24, made by script(1); what it writes is told with the time it came. */
export class PseudoTerminal {
  /** All that was written since the last `forget`. */
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

  /** Milliseconds from its start, or since `since`, until it has written `what`. */
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

  /** The program's own process, below script and the shell. */
  get pid(): number {
    const pid = childOf(this.child.pid ?? 0);
    if (pid === null) throw new Error('the program has ended');
    return pid;
  }

  async close(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => this.child.once('close', () => resolve()));
    // What runs in the terminal is told by its end.
    this.child.kill('SIGTERM');
    await ended;
  }
}

/** Seconds of CPU that a process has used. */
export function cpuSeconds(pid: number): number {
  const fields = (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Its share of memory, MB. */
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
    return null; // it has ended
  }
}
