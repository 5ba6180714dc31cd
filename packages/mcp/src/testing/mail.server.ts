import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The path of the built file, even if this file runs from source. */
const MAIN = fileURLToPath(new URL('../../dist/testing/mail.server.main.js', import.meta.url));

/** The protocol of a server: with sessions (2025), without them, or over HTTP+SSE. */
export type MailServerKind = 'sessions' | 'stateless' | 'sse';

/**
 * A server in a separate process that is restarted each time it ends. Its tool `send_mail` appends a line to a file and
 * ends the process 200 ms later. `note` appends a line and answers.
 */
export class MailServer {
  private child: ChildProcess | null = null;
  private port = 0;
  private isEnding = false;

  private constructor(
    private readonly dir: string,
    private readonly kind: MailServerKind,
    private readonly restarts: boolean,
  ) {}

  static async start(kind: MailServerKind, { restarts }: { readonly restarts: boolean }): Promise<MailServer> {
    const dir = await mkdtemp(join(tmpdir(), 'aish-mail-'));
    const server = new MailServer(dir, kind, restarts);
    await server.run();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  /** Returns the lines that the tools have written, oldest first. */
  async done(): Promise<string[]> {
    const text = await readFile(join(this.dir, 'done'), 'utf8').catch(() => '');
    return text.split('\n').slice(0, -1);
  }

  /** Ends the process, and waits for the next one. */
  async restart(): Promise<void> {
    const { child } = this;
    if (child === null) return;
    child.removeAllListeners('exit');
    await kill(child);
    await this.run();
  }

  async stop(): Promise<void> {
    this.isEnding = true;
    if (this.child !== null) await kill(this.child);
    await rm(this.dir, { recursive: true, force: true });
  }

  private async run(): Promise<void> {
    const args = [MAIN, String(this.port), join(this.dir, 'done'), this.kind];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.child = child;
    child.once('exit', () => {
      if (this.restarts && !this.isEnding) void this.run();
    });
    const [port] = (await once(child.stdout, 'data')) as [Buffer];
    this.port = Number(port.toString());
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
