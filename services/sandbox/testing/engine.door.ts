import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

const CHANGES_SOMETHING = /^(POST|PUT|DELETE) /;

/** The call at which something is killed, before the engine receives the call or after its response. */
export interface Boundary {
  readonly call: number;
  readonly when: 'before' | 'after';
  readonly die: () => void;
}

/** Opens a socket in front of an engine, and counts the calls that change something. */
export class EngineProxy {
  private readonly open = new Set<Socket>();
  private armed: Boundary | null = null;
  private calls = 0;
  private readonly server: Server;

  private constructor(
    readonly socket: string,
    engine: string,
  ) {
    this.server = createServer({ allowHalfOpen: true }, (caller) => this.pass(caller, engine));
  }

  static async open(socket: string, engine: string): Promise<EngineProxy> {
    const door = new EngineProxy(socket, engine);
    door.server.listen(socket);
    await once(door.server, 'listening');
    return door;
  }

  arm(boundary: Boundary): void {
    this.calls = 0;
    this.armed = boundary;
  }

  /** @returns whether that many calls happened */
  disarm(): boolean {
    const wasThere = this.armed === null;
    this.armed = null;
    return wasThere;
  }

  close(): void {
    this.server.close();
    for (const socket of this.open) socket.destroy();
  }

  private pass(caller: Socket, engine: string): void {
    const answerer = connect({ path: engine, allowHalfOpen: true });
    const both = [caller, answerer];
    const cut = () => both.forEach((socket) => socket.destroy());
    for (const socket of both) {
      this.open.add(socket);
      socket.once('error', cut).once('close', () => this.open.delete(socket));
    }
    let isLast = false;
    const die = () => {
      const boundary = this.armed;
      this.armed = null;
      boundary?.die();
      cut();
    };
    caller.on('data', (bytes) => {
      if (this.armed !== null && CHANGES_SOMETHING.test(bytes.toString('latin1', 0, 8))) {
        this.calls += 1;
        if (this.calls === this.armed.call && this.armed.when === 'before') return die();
        isLast = this.calls === this.armed.call;
      }
      answerer.write(bytes);
    });
    answerer.on('data', (bytes) => {
      if (isLast) return die();
      caller.write(bytes);
    });
    caller.once('end', () => answerer.end());
    answerer.once('end', () => caller.end());
  }
}
