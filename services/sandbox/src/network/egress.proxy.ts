import { chmod, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';
import type { NetworkConnection, NetworkPolicy } from '@aish/contracts/network';
import type { RunSecret } from '@aish/contracts/secrets';
import { machineAddresses } from '@aish/http/address-kind';
import type { Authority } from '../secrets/authority.js';
import { secretsFor } from '../secrets/placeholders.js';
import { TlsInterceptor } from '../secrets/tls.interceptor.js';
import { refuse, forwardRequest } from './forward-request.js';
import { judge, ruleFor } from './policy.rules.js';
import type { Resolve } from './resolver.js';
import { absoluteTarget, bracketed, connectTarget, type Target } from './target.js';

export interface ProxyLimits {
  /** The maximum number of connections of one workspace. */
  readonly connectionsMax: number;
  readonly connectTimeoutMs: number;
  /** The maximum time without data in both directions. */
  readonly idleTimeoutMs: number;
}

export const PROXY_LIMITS: ProxyLimits = { connectionsMax: 64, connectTimeoutMs: 10_000, idleTimeoutMs: 120_000 };

export interface ProxyParts {
  readonly policy: () => NetworkPolicy;
  /** Receives every judged connection, and makes the final decision. */
  readonly admit: (connection: NetworkConnection) => NetworkConnection;
  readonly resolve: Resolve;
  /** The secrets of the commands that are running now. */
  readonly secrets: () => readonly RunSecret[];
  readonly authority: Authority;
  /** Called for an unexpected error. The connection is then closed. */
  readonly failed: (error: unknown) => void;
}

const HEADER_MAX_BYTES = 16_384;
const HEADER_TIMEOUT_MS = 10_000;
const HTTP_PORT = 80;
const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';

type Permit = { readonly addresses: readonly string[] } | { readonly status: 403 | 502 | 503; readonly why: string };

/**
 * The only network access of a workspace: an HTTP proxy (CONNECT, and `GET http://…`) on a Unix socket. The proxy looks
 * names up itself and connects to the addresses that it judged, so there is no second lookup.
 */
export class EgressProxy {
  private readonly server: Server;
  private readonly door: TlsInterceptor;
  private readonly open = new Set<Duplex>();
  private active = 0;

  constructor(
    private readonly parts: ProxyParts,
    private readonly limits: ProxyLimits = PROXY_LIMITS,
  ) {
    this.server = createServer({
      maxHeaderSize: HEADER_MAX_BYTES,
      headersTimeout: HEADER_TIMEOUT_MS,
      // An upload may take any amount of time as long as data flows.
      requestTimeout: 0,
      keepAliveTimeout: HEADER_TIMEOUT_MS,
      connectionsCheckingInterval: 1_000,
    });
    this.door = new TlsInterceptor(parts.authority, parts.failed, {
      maxHeaderSize: HEADER_MAX_BYTES,
      headersTimeout: HEADER_TIMEOUT_MS,
      idleTimeoutMs: limits.idleTimeoutMs,
    });
    // The server accepts up to twice as many connections as the limit, so that those above the limit get an error
    // response.
    this.server.maxConnections = limits.connectionsMax * 2;
    this.server.on('connection', (socket) => this.track(socket));
    this.server.on('connect', (request, socket, head) => {
      this.tunnel(request, socket, head).catch((error: unknown) => this.fail(error, socket));
    });
    this.server.on('request', (request, response) => {
      this.forward(request, response).catch((error: unknown) => this.fail(error, request.socket));
    });
    this.server.on('clientError', (_, socket) => {
      if (socket.writable) socket.end(answer(400, 'This proxy cannot read that request'));
      else socket.destroy();
    });
  }

  /** Listens on a socket that anybody may use. The folder around the socket controls who can reach it. */
  async listen(path: string): Promise<void> {
    await rm(path, { force: true });
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(path, resolve);
    });
    await chmod(path, 0o666);
  }

  /** Closes all connections, because the policy that allowed them has changed. */
  cut(): void {
    for (const socket of this.open) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.cut();
    await closed;
  }

  private async tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    client.on('error', () => client.destroy());
    const target = connectTarget(request.url ?? '');
    if (target === null) return void client.end(answer(400, 'CONNECT needs host:port'));
    this.enter(client);
    const permit = await this.permit(target);
    if ('why' in permit) return void client.end(answer(permit.status, permit.why));
    const upstream = await this.connect(permit.addresses, target.port);
    if (upstream === null || client.destroyed) {
      upstream?.destroy();
      return void client.end(answer(502, `${target.host}:${target.port} does not respond`));
    }
    client.write(ESTABLISHED);
    const secrets = secretsFor(this.parts.secrets(), target, true);
    if (secrets.length > 0) {
      if (head.length > 0) client.unshift(head);
      return this.door.accept(client, {
        target,
        secrets,
        connect: this.reconnect(target, upstream),
        refused: (reason) => void this.parts.admit({ host: target.host, port: target.port, allowed: false, reason }),
      });
    }
    if (head.length > 0) upstream.write(head);
    // The connection is closed if neither side has sent data for this long.
    upstream.setTimeout(this.limits.idleTimeoutMs, () => upstream.destroy());
    // Each pipeline closes both sockets if one breaks, and passes on a normal end.
    pipeline(client, upstream, () => undefined);
    pipeline(upstream, client, () => undefined);
  }

  private async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const found = absoluteTarget(request.url ?? '');
    if (found === null)
      return refuse(response, 400, 'This is a proxy: send CONNECT host:port, or GET http://host/path');
    this.enter(response);
    const { target, path } = found;
    const permit = await this.permit(target);
    if ('why' in permit) return refuse(response, permit.status, permit.why);
    const upstream = await this.connect(permit.addresses, target.port);
    if (upstream === null || request.socket.destroyed) {
      upstream?.destroy();
      return refuse(response, 502, `${target.host}:${target.port} does not respond`);
    }
    upstream.setTimeout(this.limits.idleTimeoutMs, () => upstream.destroy());
    response.once('close', () => upstream.destroy());
    // The request must use exactly this socket, and only once. Any agent, and also `agent: false`, would open its own
    // connection.
    const connection = { createConnection: () => upstream };
    const secrets = secretsFor(this.parts.secrets(), target, false);
    await forwardRequest({ request, response, target, path, usualPort: HTTP_PORT, connection, secrets });
  }

  /**
   * Returns a function that returns the existing connection on its first call. Later calls open new connections under
   * the current policy.
   */
  private reconnect(target: Target, first: Socket): () => Promise<Socket | null> {
    let made: Socket | null = first;
    return async () => {
      const permit = made === null ? await this.permit(target) : null;
      const socket =
        made ?? (permit === null || 'why' in permit ? null : await this.connect(permit.addresses, target.port));
      made = null;
      socket?.setTimeout(this.limits.idleTimeoutMs, () => socket.destroy());
      return socket;
    };
  }

  /** Judges a target, records the result, and returns the addresses to connect to. */
  private async permit(target: Target): Promise<Permit> {
    const { host, port } = target;
    const settle = (
      allowed: boolean,
      reason: string,
      addresses: readonly string[],
      status: 403 | 502 | 503,
    ): Permit => {
      const last = this.parts.admit({ host, port, allowed, reason });
      if (last.allowed) return { addresses };
      return { status: allowed ? 403 : status, why: `aish: ${bracketed(host)}:${port} is refused: ${last.reason}` };
    };
    if (this.active > this.limits.connectionsMax) {
      return settle(false, `more than ${this.limits.connectionsMax} connections at once`, [], 503);
    }
    const policy = this.parts.policy();
    const rule = ruleFor(policy, target);
    // The name is not looked up, so that an unlisted name reaches no name server.
    if (rule === null) return settle(false, 'no rule allows it', [], 403);
    const addresses = target.isAddress ? [host] : await this.parts.resolve(host);
    if (addresses.length === 0) return settle(false, 'the name has no address', [], 502);
    if (JSON.stringify(this.parts.policy()) !== JSON.stringify(policy)) {
      return settle(false, 'the policy has just changed', [], 403);
    }
    const { allowed, reason } = judge(policy, rule, target, addresses, machineAddresses());
    return settle(allowed, reason, addresses, 403);
  }

  /** Connects to the first of these addresses that responds. Returns null if none does. */
  private async connect(addresses: readonly string[], port: number): Promise<Socket | null> {
    for (const host of addresses) {
      const socket = connect({ host, port, allowHalfOpen: true });
      this.track(socket);
      const isConnected = await new Promise<boolean>((resolve) => {
        socket.setTimeout(this.limits.connectTimeoutMs, () => socket.destroy());
        socket.once('connect', () => resolve(true));
        socket.once('close', () => resolve(false));
        socket.on('error', () => socket.destroy());
      });
      if (isConnected) return socket;
    }
    return null;
  }

  private track(socket: Duplex): void {
    this.open.add(socket);
    socket.once('close', () => this.open.delete(socket));
  }

  /** Counts a connection until its stream closes. */
  private enter(carrier: NodeJS.EventEmitter): void {
    this.active++;
    carrier.once('close', () => this.active--);
  }

  private fail(error: unknown, socket: Duplex): void {
    socket.destroy();
    this.parts.failed(error);
  }
}

function answer(status: number, why: string): string {
  const body = `${why}\n`;
  return [
    `HTTP/1.1 ${status} Refused`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
