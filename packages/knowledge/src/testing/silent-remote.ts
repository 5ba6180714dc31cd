import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A remote that accepts connections and never answers. */
export class SilentRemote {
  connections = 0;
  private readonly open = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('connection', (socket: Socket) => {
      this.connections += 1;
      this.open.add(socket);
      socket.on('error', () => undefined).on('close', () => this.open.delete(socket));
      socket.resume();
    });
  }

  static async start(): Promise<SilentRemote> {
    const remote = new SilentRemote(createServer());
    await once(remote.server.listen(0, '127.0.0.1'), 'listening');
    return remote;
  }

  get url(): string {
    return `git://127.0.0.1:${(this.server.address() as AddressInfo).port}/kb.git`;
  }

  /** Resolves when somebody waits for the remote's answer. */
  async reached(): Promise<void> {
    if (this.open.size === 0) await once(this.server, 'connection');
  }

  /** Resolves when nobody waits for the remote's answer any more. */
  async left(): Promise<void> {
    await Promise.all([...this.open].map((socket) => once(socket, 'close')));
  }

  async stop(): Promise<void> {
    for (const socket of this.open) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}
