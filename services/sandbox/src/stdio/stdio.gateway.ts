import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { AishError, toProblem } from '@aish/contracts/problems';
import { STDIO_LINE_MAX_CHARS, StdioInput, StdioRequest, type StdioFrame } from '@aish/contracts/stdio';
import { bearerMatches, type Logger } from '@aish/http';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import type { RunningProgram, StdioPrograms } from './stdio.programs.js';

const PATH = '/v1/stdio';
const PING_EVERY_MS = 15_000;
const FIRST_MESSAGE_MS = 10_000;
/** A slow reader may fall behind by this many bytes before the program is ended. */
const BEHIND_MAX_BYTES = 64 * 1024 * 1024;

/** Serves the WebSocket through which other services talk to stdio programs. */
export class StdioGateway implements BeforeApplicationShutdown {
  private readonly server = new WebSocketServer({
    noServer: true,
    maxPayload: STDIO_LINE_MAX_CHARS * 4,
    perMessageDeflate: false,
  });

  constructor(
    private readonly programs: StdioPrograms,
    private readonly secret: string,
    private readonly logger: Logger,
  ) {}

  /** Handles the upgrade requests of a server. This service has no others. */
  attach(http: Server): void {
    http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => undefined);
      const { authorization } = request.headers;
      if (!bearerMatches(authorization, this.secret)) return refuse(socket, '401 Unauthorized');
      if (request.url !== PATH) return refuse(socket, '404 Not Found');
      this.server.handleUpgrade(request, socket, head, (connection) => void this.serve(connection));
    });
  }

  /** Ends all programs and their connections. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.programs.stop();
    for (const connection of this.server.clients) connection.terminate();
    this.server.close();
  }

  private async serve(connection: WebSocket): Promise<void> {
    let program: RunningProgram | null = null;
    let isClosed = false;
    connection.on('error', (err) => this.logger.debug({ err }, 'a connection to a program broke'));
    const pings = keepAlive(connection);
    connection.once('close', () => {
      isClosed = true;
      clearInterval(pings);
      void program?.kill();
    });
    const say = (frame: StdioFrame): void => {
      if (connection.readyState !== connection.OPEN) return;
      if (connection.bufferedAmount > BEHIND_MAX_BYTES) return connection.terminate();
      connection.send(JSON.stringify(frame));
      if (frame.type === 'exit' || frame.type === 'error') connection.close(1000);
    };
    try {
      const request = StdioRequest.safeParse(readJson(await firstMessage(connection)));
      if (!request.success) throw new AishError('invalid_body', 'The first message is not a request for a program');
      program = await this.programs.start(request.data, say);
      const running = program;
      connection.on('message', (data: RawData) => {
        const input = StdioInput.safeParse(readJson(textOf(data)));
        if (input.success) running.write(input.data.text);
      });
      if (isClosed) await program.kill();
    } catch (error) {
      if (!(error instanceof AishError)) this.logger.warn({ err: error }, 'a program could not be started');
      const { code, detail } = toProblem(error);
      say({ type: 'error', problem: { code, ...(detail === undefined ? {} : { detail }) } });
    }
  }
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function firstMessage(connection: WebSocket): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new AishError('invalid_body', 'No request arrived')), FIRST_MESSAGE_MS);
    connection.once('message', (data: RawData) => {
      clearTimeout(late);
      resolve(textOf(data));
    });
    connection.once('close', () => {
      clearTimeout(late);
      reject(new AishError('aborted', 'The connection was closed'));
    });
  });
}

/** Ends a connection whose other side has disappeared. */
function keepAlive(connection: WebSocket): NodeJS.Timeout {
  let isAlive = true;
  connection.on('pong', () => (isAlive = true));
  return setInterval(() => {
    if (!isAlive) return connection.terminate();
    isAlive = false;
    connection.ping();
  }, PING_EVERY_MS);
}

function textOf(data: RawData): string {
  return (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer)).toString('utf8');
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the caller refuses an invalid request, and drops an invalid line
  }
}
