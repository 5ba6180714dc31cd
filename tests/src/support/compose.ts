import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { commandsOf } from './documented-commands.js';
import { ROOT } from './service.process.js';

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const PAGE = commandsOf('deploy/compose/README.md');

/** Runs docker compose with the project's own docker-compose.yml, under a separate project name. */
export class Compose {
  constructor(
    readonly project: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  /** @throws Error with the last logs of the services if the command fails */
  async run(args: readonly string[], timeoutMs = 120_000): Promise<string> {
    try {
      return await this.command(args, timeoutMs);
    } catch (error) {
      const logs = await this.command(['logs', '--no-color', '--tail', '15'], 30_000).catch(String);
      throw new Error(`${error instanceof Error ? error.message : String(error)}\n${logs}`, { cause: error });
    }
  }

  /**
   * Runs a command of deploy/compose/README.md exactly as written, for this project, whose name is in the environment.
   * @param replaced texts of the page, with their replacements here
   */
  async documented(
    command: string,
    { replaced = {}, timeoutMs = 120_000 }: { replaced?: Readonly<Record<string, string>>; timeoutMs?: number } = {},
  ): Promise<string> {
    if (!PAGE.includes(command)) throw new Error(`deploy/compose/README.md has no command ${command}`);
    const meant = Object.entries(replaced).reduce((text, [from, to]) => text.replaceAll(from, to), command);
    return (await run('sh', ['-c', meant], this.options(timeoutMs))).stdout;
  }

  /** The environment in which documented commands run for this project. */
  get environment(): Readonly<Record<string, string>> {
    return { COMPOSE_PROJECT_NAME: this.project, AISH_PORT: '0', ...this.env };
  }

  /** Returns the published address of a service's port. Docker chooses a free port at each start of the container. */
  async publishedAt(service: string, port: number): Promise<string> {
    return (await this.run(['port', service, String(port)])).trim();
  }

  async apiUrl(): Promise<string> {
    return `http://${await this.publishedAt('api', 7717)}`;
  }

  private async command(args: readonly string[], timeoutMs: number): Promise<string> {
    return (await run('docker', ['compose', ...args], this.options(timeoutMs))).stdout;
  }

  private options(timeoutMs: number) {
    const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...this.environment };
    return { cwd: ROOT, timeout: timeoutMs, maxBuffer: MAX_OUTPUT_BYTES, env };
  }

  /** Returns the host's address in one of the project's networks. */
  async gatewayOf(network: string): Promise<string> {
    const format = '{{(index .IPAM.Config 0).Gateway}}';
    const { stdout } = await run('docker', ['network', 'inspect', '--format', format, `${this.project}_${network}`]);
    return stdout.trim();
  }

  /** Returns the engine's data about each container of the project. */
  async inspect(): Promise<readonly Inspected[]> {
    const ids = (await this.run(['ps', '--all', '--quiet'])).split('\n').filter(Boolean);
    const { stdout } = await run('docker', ['inspect', ...ids], { maxBuffer: MAX_OUTPUT_BYTES });
    return JSON.parse(stdout) as Inspected[];
  }
}

/** The parts of `docker inspect` that tests use. */
export interface Inspected {
  readonly Config: {
    readonly Labels: Readonly<Record<string, string>>;
    readonly User: string;
    readonly Image: string;
    readonly Env: readonly string[];
  };
  readonly State: { readonly Status: string; readonly ExitCode: number };
  readonly HostConfig: {
    readonly Privileged: boolean;
    readonly ReadonlyRootfs: boolean;
    readonly CapDrop: readonly string[] | null;
    readonly CapAdd: readonly string[] | null;
    readonly SecurityOpt: readonly string[] | null;
    readonly NetworkMode: string;
    readonly PidMode: string;
    readonly IpcMode: string;
    readonly Memory: number;
    readonly PidsLimit: number | null;
    readonly PortBindings: Readonly<Record<string, readonly { HostIp: string; HostPort: string }[]>> | null;
  };
  readonly Mounts: readonly { readonly Source: string; readonly Destination: string; readonly RW: boolean }[];
}

export function serviceOf(container: Inspected): string {
  return container.Config.Labels['com.docker.compose.service'] ?? '';
}
