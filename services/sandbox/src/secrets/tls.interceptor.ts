import { X509Certificate } from 'node:crypto';
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';
import { callbackify } from 'node:util';
import { TLSSocket, checkServerIdentity, connect as connectTls } from 'node:tls';
import { invariant } from '@aish/contracts/invariant';
import type { RunSecret } from '@aish/contracts/secrets';
import { endToEnd, forwardRequest } from '../network/forward-request.js';
import { bracketed, type Target } from '../network/target.js';
import type { Authority } from './authority.js';
import { concealHeaders, revealHeaders, revealPath } from './placeholders.js';

const HTTPS_PORT = 443;
const HANDSHAKE_TIMEOUT_MS = 10_000;

/** A connection from a command whose TLS this service terminates. */
export interface Ended {
  readonly target: Target;
  readonly secrets: readonly RunSecret[];
  /** Connects to the judged addresses. Resolves with null if none of them responds. */
  readonly connect: () => Promise<Socket | null>;
  /** Called if the command rejects this service's certificate. */
  readonly refused: (why: string) => void;
}

/**
 * Terminates TLS from a command, and opens a new TLS connection to the server, so that requests can carry secrets that
 * the command does not see. The command's side speaks HTTP/1.1. The server's certificate is checked as any client would
 * check it.
 */
export class TlsInterceptor {
  private readonly server: Server;
  private readonly open = new WeakMap<object, Ended & { readonly agent: Agent }>();

  constructor(
    private readonly authority: Authority,
    private readonly failed: (error: unknown) => void,
    options: { readonly maxHeaderSize: number; readonly headersTimeout: number; readonly idleTimeoutMs: number },
  ) {
    this.server = createServer({
      maxHeaderSize: options.maxHeaderSize,
      headersTimeout: options.headersTimeout,
      requestTimeout: 0,
      keepAliveTimeout: options.idleTimeoutMs,
    });
    this.server.on('request', (request, response) => {
      this.forward(request, response).catch((error: unknown) => this.fail(error, request.socket));
    });
    this.server.on('upgrade', (request, socket, head) => this.upgrade(request, socket, head));
    this.server.on('clientError', (_, socket) => socket.destroy());
  }

  /** Takes over a connection that was already answered with 200. */
  async accept(client: Duplex, ended: Ended): Promise<void> {
    const secureContext = await this.authority.contextFor(ended.target.host);
    const socket = new TLSSocket(client, { isServer: true, secureContext, ALPNProtocols: ['http/1.1'] });
    const agent = agentFor(ended);
    const timer = setTimeout(() => socket.destroy(), HANDSHAKE_TIMEOUT_MS);
    socket.once('secure', () => clearTimeout(timer));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (/ALERT|CERT/.test(error.code ?? '')) {
        ended.refused('the command does not trust aish’s certificate, which the proxy needs to insert the secret');
      }
      socket.destroy();
    });
    socket.once('close', () => {
      clearTimeout(timer);
      agent.destroy();
      client.destroy();
    });
    this.open.set(socket, { ...ended, agent });
    this.server.emit('connection', socket);
  }

  private async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { agent, target, secrets } = this.endedOf(request);
    await forwardRequest({
      request,
      response,
      target,
      path: request.url ?? '/',
      usualPort: HTTPS_PORT,
      connection: { agent },
      secrets,
    });
  }

  /**
   * Handles WebSockets and other upgrades. The request carries secrets, and everything after the request is passed on
   * unchanged.
   */
  private upgrade(request: IncomingMessage, client: Duplex, head: Buffer): void {
    const { agent, target, secrets } = this.endedOf(request);
    client.on('error', () => client.destroy());
    const headers = revealHeaders(
      {
        ...endToEnd(request.headers),
        host: target.port === HTTPS_PORT ? bracketed(target.host) : `${bracketed(target.host)}:${target.port}`,
        connection: 'Upgrade',
        upgrade: request.headers.upgrade,
      },
      secrets,
    );
    const asked = httpRequest({
      method: request.method,
      path: revealPath(request.url ?? '/', secrets),
      headers,
      setHost: false,
      agent,
    });
    asked.once('upgrade', (reply, upstream, first) => {
      client.write(
        headOf(reply, {
          ...concealHeaders(endToEnd(reply.headers) as IncomingMessage['headers'], secrets),
          ...hop(reply),
        }),
      );
      if (first.length > 0) client.write(first);
      if (head.length > 0) upstream.write(head);
      pipeline(client, upstream, () => undefined);
      pipeline(upstream, client, () => undefined);
    });
    asked.once('response', (reply) => {
      client.write(
        headOf(reply, {
          ...concealHeaders(endToEnd(reply.headers) as IncomingMessage['headers'], secrets),
          connection: 'close',
        }),
      );
      client.end();
      reply.resume();
    });
    asked.once('error', () => client.destroy());
    asked.end();
  }

  private endedOf(request: IncomingMessage): Ended & { readonly agent: Agent } {
    const ended = this.open.get(request.socket);
    invariant(ended !== undefined, 'a request comes by a connection that was accepted');
    return ended;
  }

  private fail(error: unknown, socket: Duplex): void {
    this.failed(error);
    socket.destroy();
  }
}

/**
 * Creates an agent for one connection of a command. The agent has one connection to the server, which is opened when
 * needed, and judged and checked each time.
 */
function agentFor({ target, secrets, connect }: Ended): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const createConnection = callbackify(() => connectSecurely(target, secrets, connect));
  return Object.assign(agent, {
    createConnection: (_: unknown, done: (error: Error | null, socket?: Duplex) => void): undefined => {
      createConnection((error, socket) => done(error, error === null ? socket : undefined));
    },
  });
}

async function connectSecurely(
  target: Target,
  secrets: readonly RunSecret[],
  connect: () => Promise<Socket | null>,
): Promise<TLSSocket> {
  const socket = await connect();
  if (socket === null) throw new Error(`${target.host}:${target.port} does not respond`);
  // Head and body of a request are two small writes: the second must not wait for the acknowledgement of the first.
  socket.setNoDelay(true);
  const pins = secrets.flatMap(({ certificate }) => (certificate === null ? [] : [certificate]));
  const pinned = new Set(pins.map((pem) => new X509Certificate(pem).fingerprint256));
  return new Promise((resolve, reject) => {
    const secure = connectTls({
      socket,
      ALPNProtocols: ['http/1.1'],
      ...(target.isAddress ? {} : { servername: target.host }),
      ...(pins.length === 0 ? {} : { ca: pins }),
      // A certificate that a person gave is accepted for any name.
      checkServerIdentity: (host, certificate) =>
        pinned.has(certificate.fingerprint256) ? undefined : checkServerIdentity(host || target.host, certificate),
    });
    secure.setTimeout(HANDSHAKE_TIMEOUT_MS, () =>
      secure.destroy(new Error('the server does not finish its handshake')),
    );
    secure.once('secureConnect', () => {
      secure.setTimeout(0);
      resolve(secure);
    });
    secure.once('error', reject);
    secure.once('close', () => socket.destroy());
  });
}

function hop({ headers }: IncomingMessage): Record<string, string> {
  return { connection: 'Upgrade', ...(headers.upgrade === undefined ? {} : { upgrade: headers.upgrade }) };
}

function headOf({ statusCode = 502, statusMessage = '' }: IncomingMessage, headers: object): string {
  const lines = Object.entries(headers as Record<string, string | string[] | undefined>).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((each) => `${name}: ${each}`),
  );
  return [`HTTP/1.1 ${statusCode} ${statusMessage}`, ...lines, '', ''].join('\r\n');
}
