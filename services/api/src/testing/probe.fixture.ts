import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DEFAULT_RULES, NO_HOST_RULES, readFacts, type Reading } from '@aish/lab';
import { probeCommand } from '../lab/probe-script.js';

const run = promisify(execFile);

/** Shells that the probe must run under, as a program and its first arguments. */
export const SHELLS = [
  ['dash', ['dash']],
  ['BusyBox sh', ['busybox', 'sh']],
] as const;

interface ProbeOptions {
  readonly path?: string;
  /** By default all probes run. */
  readonly only?: Reading['probe'];
  readonly edit?: (text: string) => string;
}

/** Runs the probe on this machine. */
export class ProbeRunner {
  private constructor(
    readonly dir: string,
    readonly shell: readonly [string, ...string[]],
  ) {}

  static async make(shell: readonly [string, ...string[]]): Promise<ProbeRunner> {
    return new ProbeRunner(await mkdtemp(join(tmpdir(), "aish-probe-it's ")), shell);
  }

  remove(): Promise<void> {
    return rm(this.dir, { recursive: true, force: true });
  }

  /** @param edit changes the text of the probe, whose paths are those of this machine. */
  async probe(
    more: object = {},
    { path, only, edit = (text) => text }: ProbeOptions = {},
  ): Promise<{ readonly stdout: string; readonly readings: readonly Reading[] }> {
    const rules = { ...DEFAULT_RULES, hosts: { nas: { ...NO_HOST_RULES, ...more } } };
    const [program, ...before] = this.shell;
    const text = edit(probeCommand('nas', rules).replace('exec sh', `exec ${this.shell.join(' ')}`));
    const chosen = text.replaceAll(/^for probe in ([a-z ]+); do/gm, (loop, names: string) =>
      only === undefined ? loop : `for probe in ${names.split(' ').includes(only) ? only : ''}; do`,
    );
    const env = { PATH: path ?? process.env['PATH'] };
    const options = { env, maxBuffer: 16 * 1024 * 1024, timeout: 25_000 };
    const { stdout } = await run(program, [...before, '-c', chosen], options);
    return { stdout, readings: readFacts(stdout) };
  }

  /** Programs that take precedence over those of the machine. @returns the PATH */
  async programs(all: Readonly<Record<string, string>>): Promise<string> {
    const bin = join(this.dir, 'bin');
    await rm(bin, { recursive: true, force: true });
    await mkdir(bin);
    for (const [name, text] of Object.entries(all))
      await writeFile(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    return `${bin}:${process.env['PATH']}`;
  }
}
