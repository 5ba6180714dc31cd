import { randomUUID } from 'node:crypto';
import { chmod, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { PassThrough, type Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { AishError, isAishError } from '@aish/contracts/problems';
import type { Logger } from '@aish/http';
import { z } from 'zod';
import { LABELS } from '../engine/container-spec.js';
import { KEEPER_LABEL, type HelperEngine } from '../engine/helper.engine.js';
import type { Helper } from '../engine/helper.js';
import { keeperCommand } from '../engine/script.js';
import { settleable } from '../engine/settleable.js';
import type { SocketFolders } from '../network/socket-folders.js';

const ANSWER_WAIT_MS = 60_000;
const CLOSE_WAIT_MS = 3_000;
/** The longest delay that a Node timer accepts. A keeper that reaches this age is replaced. */
const LIFE_MS = 2 ** 31 - 1;
const LINE_MAX_CHARS = 2 ** 20;
const FOLDER = 'keeper';
const FOLDER_INSIDE = '/run/aish-keeper';

const Answer = z.looseObject({ id: z.int(), error: z.string().optional() });

interface Connection {
  /**
   * The keeper's stdin through the engine. Once the socket is connected, the socket is used instead, because it takes a
   * tenth of the time.
   */
  speak: Writable;
  readonly asked: Map<number, ReturnType<typeof settleable<unknown>>>;
}

/** A socket that only the keeper can reach. */
interface Door {
  readonly server: Server;
  readonly source: string;
  readonly path: string;
}

/** Returns the name of the volume with the layers of all workspaces of a service. */
export function layersVolume(instance: string): string {
  return `aish-layers-${instance}`;
}

/**
 * Manages the keeper's container and the connection to it. The first request starts the container. Requests and
 * responses are numbered. They go through a Unix socket if the container can reach it, and otherwise through the
 * engine. A runtime with its own kernel may prevent the use of the socket.
 */
export class KeeperLine {
  private readonly closing = new AbortController();
  private connection: Promise<Connection> | null = null;
  private ended: Promise<void> = Promise.resolve();
  private next = 1;

  constructor(
    private readonly helpers: HelperEngine,
    private readonly folders: SocketFolders,
    private readonly instance: string,
    private readonly logger: Logger,
  ) {}

  /**
   * Sends a request to the keeper. @throws AishError `engine_unavailable` if no answer came; `internal` with the
   * keeper's message
   */
  async ask(question: string, args: readonly unknown[]): Promise<unknown> {
    this.connection ??= this.connect();
    const connection = await this.connection;
    const id = this.next++;
    const answered = settleable<unknown>();
    connection.asked.set(id, answered);
    const timer = setTimeout(() => answered.reject(new KeeperSilent(undefined)), ANSWER_WAIT_MS);
    connection.speak.write(`${JSON.stringify({ id, do: question, with: args })}\n`);
    try {
      return await answered.promise;
    } finally {
      clearTimeout(timer);
      connection.asked.delete(id);
    }
  }

  /** Ends the container, and waits briefly until it is gone. The next keeper completes unfinished work. */
  async close(): Promise<void> {
    this.closing.abort();
    await Promise.race([this.ended, sleep(CLOSE_WAIT_MS, undefined, { ref: false })]);
    await rm(this.folders.pathOf(FOLDER), { recursive: true, force: true });
  }

  private async connect(): Promise<Connection> {
    try {
      const door = await this.open();
      if (door === null) return await this.start(null);
      try {
        return await this.start(door);
      } catch (error) {
        if (isAishError(error, 'engine_unavailable')) throw error;
        // The engine may be on another machine, or it may be unable to mount that folder.
        this.goesWithout(error);
        return await this.start(null);
      }
    } catch (error) {
      this.connection = null;
      throw error;
    }
  }

  private goesWithout(error: unknown): void {
    this.logger.info({ err: error }, 'the keeper of the layers has no socket: it is asked through the engine');
  }

  private async start(door: Door | null): Promise<Connection> {
    const stdin = new PassThrough();
    const connection: Connection = { speak: stdin, asked: new Map() };
    const labels = { [LABELS.instance]: this.instance };
    const gone = new AbortController();
    gone.signal.addEventListener('abort', () => door?.server.close(), { once: true });
    door?.server.once('connection', (socket) => {
      door.server.close();
      this.takeSocket(connection, socket, gone);
    });
    try {
      const helper = await this.helpers.open(
        {
          command: keeperCommand('main'),
          volumes: [{ volume: layersVolume(this.instance), target: '/workspace', readOnly: false, labels }],
          ...(door !== null && {
            sockets: { source: door.source, target: FOLDER_INSIDE },
            env: [`KEEPER_SOCKET=${FOLDER_INSIDE}/${door.path}`],
          }),
          input: stdin,
          label: KEEPER_LABEL,
          timeoutMs: LIFE_MS,
          readsAll: true,
        },
        AbortSignal.any([this.closing.signal, gone.signal]),
      );
      const over = () => {
        this.connection = null;
        gone.abort();
      };
      this.ended = this.listen(connection.asked, helper, over).then(() =>
        helper.close().catch((error: unknown) => {
          this.logger.warn({ err: error }, 'the container of a keeper may be left; the next sweep removes it');
        }),
      );
      return connection;
    } catch (error) {
      gone.abort();
      throw error;
    }
  }

  /** @returns null if a socket is not possible; the engine's stream is then used */
  private async open(): Promise<Door | null> {
    const path = randomUUID().slice(0, 8);
    const server = createServer();
    try {
      this.folders.check(FOLDER, path);
      // A crash may have left the folder behind.
      await rm(this.folders.pathOf(FOLDER), { recursive: true, force: true });
      await this.folders.make(FOLDER);
      const at = join(this.folders.pathOf(FOLDER), path);
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(at, resolve);
      });
      server.unref();
      await chmod(at, 0o666);
      const source = await this.folders.mountOf(FOLDER);
      return { server, path, source };
    } catch (error) {
      server.close();
      this.goesWithout(error);
      return null;
    }
  }

  private takeSocket(connection: Connection, socket: Socket, gone: AbortController): void {
    connection.speak = socket;
    this.folders.areReached = true;
    // The container ends when its connection is lost, and the next request starts another one.
    const lost = () => gone.abort();
    socket.once('error', lost).once('close', lost);
    gone.signal.addEventListener('abort', () => socket.destroy(), { once: true });
    const read = reader(connection.asked);
    socket.on('data', (bytes) => {
      try {
        read(bytes);
      } catch (error) {
        this.logger.warn({ err: error }, 'the keeper of the layers answers what nobody understands');
        lost();
      }
    });
  }

  private async listen(asked: Connection['asked'], helper: Helper, over: () => void): Promise<void> {
    const read = reader(asked);
    let cause: unknown;
    try {
      for await (const bytes of helper.output) read(bytes);
      cause = await whyEnded(helper);
    } catch (error) {
      cause = error;
    } finally {
      over();
      for (const answered of asked.values()) answered.reject(new KeeperSilent(cause));
    }
  }
}

/** Resolves pending requests with the keeper's responses, one line of bytes at a time. */
function reader(asked: Connection['asked']): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder();
  let rest = '';
  return (bytes) => {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LINE_MAX_CHARS) throw new Error(`it answers with more than ${LINE_MAX_CHARS} characters`);
    for (const line of lines) settle(asked, line);
  };
}

function settle(asked: Connection['asked'], line: string): void {
  const answer = Answer.parse(JSON.parse(line));
  const waiting = asked.get(answer.id);
  if (answer.error === undefined) waiting?.resolve(answer);
  else waiting?.reject(new AishError('internal', `The keeper of the layers failed: ${answer.error}`));
}

async function whyEnded(helper: Helper): Promise<Error> {
  const { exitCode, stderr } = await helper.end();
  return new Error(`it exited with code ${exitCode}: ${stderr.trimEnd().split('\n').at(-1) ?? ''}`);
}

/** The keeper did not answer. The engine may still be running, so a retry may succeed. */
export class KeeperSilent extends AishError {
  constructor(cause: unknown) {
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    super(
      'engine_unavailable',
      `The process that manages the layers does not respond${why}`,
      { retryAfterS: 2 },
      { cause },
    );
  }
}
