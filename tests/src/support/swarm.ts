import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Inspected } from './compose.js';
import { commandsOf } from './documented-commands.js';
import { eventually } from './eventually.js';
import { ROOT } from './service.process.js';

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const STACK_OF = 'com.docker.stack.namespace';

/** A line of `docker service ls`. */
export interface ServiceLine {
  readonly Name: string;
  /** A number of replicas such as `1/1`. A job has more text. */
  readonly Replicas: string;
  readonly Mode: string;
}

/** The commands of the Swarm's README, in order. */
export const README_COMMANDS = commandsOf('deploy/swarm/README.md');

/** Runs a stack in this engine's Swarm, under a separate name. */
export class SwarmStack {
  /** The commands of the README that were run. */
  readonly ran: string[] = [];

  constructor(
    readonly name: string,
    private readonly env: Readonly<Record<string, string>>,
    /** Texts of the README, with their replacements here. */
    private readonly replaced: Readonly<Record<string, string>>,
  ) {}

  /** Runs the README's next command with this prefix, with the name of this stack. */
  async readme(start: string, timeoutMs = 60_000): Promise<string> {
    const command = README_COMMANDS.find((each) => each.startsWith(start) && !this.ran.includes(each));
    if (command === undefined) throw new Error(`deploy/swarm/README.md has no other command ${start}`);
    this.ran.push(command);
    const meant = Object.entries(this.replaced).reduce((text, [from, to]) => text.replaceAll(from, to), command);
    const named = meant.replace(/(stack deploy .*) aish$/, `$1 ${this.name}`).replaceAll('aish_', `${this.name}_`);
    return this.shell(named, timeoutMs);
  }

  async shell(command: string, timeoutMs = 60_000): Promise<string> {
    const { stdout } = await run('sh', ['-c', command], {
      cwd: ROOT,
      timeout: timeoutMs,
      maxBuffer: MAX_OUTPUT_BYTES,
      env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...this.env },
    });
    return stdout;
  }

  async services(): Promise<readonly ServiceLine[]> {
    const format = `docker service ls --filter label=${STACK_OF}=${this.name} --format '{{json .}}'`;
    const lines = (await this.shell(format)).split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as ServiceLine);
  }

  /** Waits until each service has all its healthy containers, and the job has ended. */
  async untilHealthy(timeoutMs: number): Promise<readonly ServiceLine[]> {
    return eventually(
      `stack ${this.name} is healthy`,
      async () => {
        const services = await this.services();
        const missing = services.filter(({ Mode, Replicas }) => {
          const [, running, wanted] = /^(\d+)\/(\d+)/.exec(Replicas) ?? [];
          return Mode.endsWith('job') ? !Replicas.includes('1/1 completed') : running !== wanted || wanted === '0';
        });
        if (services.length > 0 && missing.length === 0) return services;
        throw new Error(`not there: ${JSON.stringify(missing)}`);
      },
      { timeoutMs, everyMs: 250 },
    );
  }

  /** Returns the engine's data about each running container of the stack. */
  async containers(): Promise<readonly Inspected[]> {
    const ids = (await this.shell(`docker ps --quiet --filter label=${STACK_OF}=${this.name}`)).split('\n');
    return JSON.parse(await this.shell(`docker inspect ${ids.join(' ')}`)) as Inspected[];
  }

  /** Removes the stack. Its volumes and secrets stay. */
  async takeAway(): Promise<void> {
    await this.shell(`docker stack rm ${this.name}`);
    const label = `label=${STACK_OF}=${this.name}`;
    await eventually('its containers and networks are gone', async () => {
      const left = await this.shell(`docker ps -aq --filter ${label}; docker network ls -q --filter ${label}`);
      return left.trim() === '';
    });
  }

  /** Deletes the volumes and secrets that outlive the stack. */
  async forget(): Promise<void> {
    const label = `label=${STACK_OF}=${this.name}`;
    await this.shell(`docker volume ls -q --filter ${label} | xargs -r docker volume rm`);
    await this.shell(`docker secret ls -q --filter label=dev.aish.stack=${this.name} | xargs -r docker secret rm`);
    await this.shell(`docker config ls -q --filter name=${this.name}_ | xargs -r docker config rm`);
    const names = `docker image ls --format '{{.Repository}}:{{.Tag}}' --filter 'reference=*:${this.name}'`;
    await this.shell(`${names} | xargs -r docker image rm --no-prune`);
  }
}
