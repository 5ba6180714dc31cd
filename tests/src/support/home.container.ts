import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ApiClient } from './api.client.js';
import { closeAll } from './close-all.js';
import { commandsOf } from './documented-commands.js';
import { eventually } from './eventually.js';
import { buildOnce, BUILD_TIMEOUT_MS } from './images.js';
import { ROOT } from './service.process.js';
import { removeWorkspaces } from './workspaces.js';

const run = promisify(execFile);
const PAGE = commandsOf('deploy/home/README.md');
const BUILD = 'docker build -f deploy/Dockerfile --target aish -t aish .';
const START_TIMEOUT_MS = 180_000;

/** The first command of a kind on the page, in one line. */
function documented(start: string): string {
  const command = PAGE.find((each) => each.startsWith(start));
  if (command === undefined) throw new Error(`deploy/home/README.md has no command ${start}`);
  return command;
}

/** Runs the one image of aish with the documented command, under another name and on a free port. */
export class HomeContainer {
  /** The label of its workspaces, after the first start. */
  instance: string | null = null;

  constructor(
    readonly name: string,
    /** More arguments of `docker run`. */
    private readonly args: string,
    private readonly image = 'aish',
    /** The port on this machine. 0 takes a free one. */
    private readonly port = 0,
  ) {}

  static async build(): Promise<void> {
    await buildOnce(documented(BUILD));
  }

  /** Returns when aish is healthy. */
  async start(): Promise<ApiClient> {
    await this.create();
    return this.ready();
  }

  /** @param args replaces the arguments of the constructor */
  async create(args = this.args): Promise<void> {
    const command = documented('docker run ')
      .replace('--name aish', `--name ${this.name} ${args}`)
      .replace('-v aish:', `-v ${this.name}:`)
      .replace('127.0.0.1:7717:', `127.0.0.1:${this.port}:`)
      .replace(/ aish$/, ` ${this.image}`);
    await this.shell(command);
  }

  async ready(): Promise<ApiClient> {
    try {
      await eventually(
        'the container is healthy',
        async () => {
          const state = await this.inspect('{{.State.Status}} {{.State.Health.Status}}');
          if (state.startsWith('exited')) throw new Error('it has exited');
          return state === 'running healthy';
        },
        { timeoutMs: START_TIMEOUT_MS },
      );
    } catch (error) {
      throw new Error(`${this.name}:\n${await this.logs()}`, { cause: error });
    }
    this.instance = (await this.exec('root', ['cat', '/var/lib/aish/instance'])).trim();
    const port = (await this.shell(`docker port ${this.name} 7717`)).trim();
    const [, tokenCommand = 'false'] = /the token that this prints: (.*)/.exec(await this.logs()) ?? [];
    return new ApiClient(`http://${port}`, (await this.shell(tokenCommand)).trim());
  }

  async logs(): Promise<string> {
    const { stdout, stderr } = await run('docker', ['logs', this.name]);
    return stdout + stderr;
  }

  inspect(format: string): Promise<string> {
    return run('docker', ['inspect', '--format', format, this.name]).then(({ stdout }) => stdout.trim());
  }

  async exec(user: string, args: readonly string[]): Promise<string> {
    return (await run('docker', ['exec', '--user', user, this.name, ...args])).stdout;
  }

  async remove(): Promise<void> {
    await closeAll(
      () => run('docker', ['rm', '--force', '--volumes', this.name]),
      () => run('docker', ['volume', 'rm', '--force', this.name]),
      () => (this.instance === null ? undefined : removeWorkspaces(this.instance)),
    );
  }

  async shell(command: string): Promise<string> {
    return (await run('sh', ['-c', command], { cwd: ROOT, timeout: BUILD_TIMEOUT_MS })).stdout;
  }
}
