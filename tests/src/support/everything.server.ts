import { createRequire } from 'node:module';
import { ServiceProcess, freePort } from './service.process.js';

const require = createRequire(import.meta.url);

/** Returns the main file of a third-party MCP server. */
export function mainOf(name: 'server-everything' | 'server-filesystem'): string {
  return require.resolve(`@modelcontextprotocol/${name}/dist/index.js`);
}

/** Runs the reference server of the protocol's authors, over HTTP. */
export class EverythingServer {
  private constructor(
    private readonly process: ServiceProcess,
    readonly url: string,
  ) {}

  static async start(transport: 'streamableHttp' | 'sse'): Promise<EverythingServer> {
    const port = await freePort();
    const path = transport === 'sse' ? '/sse' : '/mcp';
    const url = `http://127.0.0.1:${port}${path}`;
    const process = new ServiceProcess('everything', mainOf('server-everything'), { PORT: String(port) }, url, {
      args: [transport],
      answers: true,
    });
    await process.start();
    return new EverythingServer(process, url);
  }

  stop(): Promise<number | string | null> {
    return this.process.kill('SIGKILL');
  }

  start(): Promise<void> {
    return this.process.start();
  }
}
