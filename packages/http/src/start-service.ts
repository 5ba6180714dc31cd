import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Type, DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { measured } from '@aish/telemetry';
import { expectWhole, UPLOAD_TIMEOUT_MS } from './arrival.js';
import { PinoNestLogger, type Logger } from './logger.js';
import { addMetricsRoute, type MetricsSource } from './metrics-route.js';
import { ProblemFilter } from './problem.filter.js';
import { TrustedProxies } from './trusted-proxies.js';
import { SchemaPipe } from './schema.pipe.js';

export interface ServiceOptions {
  readonly host: string;
  /** The port; 0 picks a free port. `RunningService` contains the port in use. */
  readonly port: number;
  readonly logger: Logger;
  /** Maximum size of a request body in bytes. */
  readonly bodyLimitBytes?: number;
  /**
   * Maximum milliseconds until a request has arrived completely. Responses may take longer. Files read with `rawBody`
   * have ten minutes.
   */
  readonly requestTimeoutMs?: number;
  /**
   * Addresses, networks and names whose `X-Forwarded-For` is trusted. If there are none, the address of a request is
   * that of its connection.
   */
  readonly trustedProxies?: readonly string[];
  /** Whether connection errors that no other code describes are reported as `database_unreachable`. */
  readonly hasDatabase?: boolean;
  /** Whether SIGTERM and SIGINT end the service (its shutdown hooks run) and the process, with exit code 0. */
  readonly handleSignals?: boolean;
  /** The source of `GET /metrics`; the route is off without it. */
  readonly metrics?: MetricsSource | undefined;
  /** Called before the service listens. It may add OpenAPI, plain Fastify routes and hooks. */
  readonly configure?: (app: NestFastifyApplication) => void | Promise<void>;
}

export interface RunningService {
  readonly app: NestFastifyApplication;
  /** The address of the service, with the actual port. */
  readonly url: string;
}

export const DEFAULT_BODY_LIMIT_BYTES = 256 * 1024;

/**
 * Starts a Nest module as an HTTP service: problem+json errors, schema validation of every parameter with a schema,
 * pino as Nest's logger. `app.close()` cuts open streams and does not wait for clients.
 *
 * @throws the error of a provider's init, or of listening (`EADDRINUSE`). In that case nothing stays open.
 */
export async function startService(
  module: Type<unknown> | DynamicModule,
  options: ServiceOptions,
): Promise<RunningService> {
  const { logger, bodyLimitBytes = DEFAULT_BODY_LIMIT_BYTES, requestTimeoutMs = 30_000, trustedProxies = [] } = options;
  const filter = new ProblemFilter(logger, bodyLimitBytes, options.hasDatabase);
  const proxies = new TrustedProxies(trustedProxies);
  await proxies.start();
  const adapter = new FastifyAdapter({
    bodyLimit: bodyLimitBytes,
    requestTimeout: Math.max(UPLOAD_TIMEOUT_MS, requestTimeoutMs),
    forceCloseConnections: true,
    trustProxy: trustedProxies.length === 0 ? false : (address: string) => proxies.has(address),
    logger: false,
    genReqId: (request: IncomingMessage) => requestId(request.headers['x-request-id']),
    frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
      filter.answer(error, request, reply),
  });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: new PinoNestLogger(logger),
    abortOnError: false,
  });
  adapter.getInstance().addHook('onClose', () => proxies.stop());
  app.getHttpServer().headersTimeout = requestTimeoutMs;
  app.useGlobalFilters(filter);
  app.useGlobalPipes(new SchemaPipe());
  adapter.setOnRequestHook((request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    void reply.header('x-request-id', request.id);
    expectWhole(request.raw, reply.raw, requestTimeoutMs);
    done();
  });
  adapter.setOnResponseHook((request, reply, done) => {
    const path = request.url.split('?', 1)[0];
    const { method, id, ip: address } = request;
    logger.debug(
      { requestId: id, address, method, path, status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
      'request',
    );
    // The route is recorded and not the path, because paths contain IDs and their number is unlimited.
    measured.request.record(reply.elapsedTime / 1000, {
      'http.request.method': method,
      'http.route': request.routeOptions.url ?? 'none',
      'http.response.status_code': reply.statusCode,
    });
    done();
  });
  try {
    if (options.metrics !== undefined) addMetricsRoute(app, options.metrics, filter);
    await options.configure?.(app);
    await app.listen(options.port, options.host);
  } catch (error) {
    await app.close();
    throw error;
  }
  if (options.handleSignals ?? true) {
    app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
    collectAfterStart(); // This process runs only this service.
  }
  const url = urlOf(app, options.host);
  // The address is logged at every log level, because people find the service by it.
  logger.child({}, { level: 'info' }).info({ url, pid: process.pid }, 'listening');
  return { app, url };
}

/**
 * Returns the client's own ID if it sent a valid one, so that one ID follows a request from the terminal to the last
 * log line.
 */
function requestId(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[A-Za-z0-9_.-]{1,64}$/.test(header) ? header : randomUUID();
}

function urlOf(app: NestFastifyApplication, host: string): string {
  const address: unknown = app.getHttpServer().address();
  const port = typeof address === 'object' && address !== null && 'port' in address ? Number(address.port) : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * For a process that runs several services: SIGTERM and SIGINT close them one after the other, in this order, and then
 * end the process.
 */
export function closeOnSignals(services: readonly RunningService[]): void {
  const close = async (): Promise<void> => {
    let exitCode = 0;
    for (const { app } of services) {
      // If one service cannot close, the others must still get the chance.
      await app.close().catch((error: unknown) => {
        console.error(error);
        exitCode = 1;
      });
    }
    process.exit(exitCode);
  };
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void close());
  collectAfterStart();
}

const COLLECT_AFTER_MS = 10_000;

/**
 * Collects the garbage of the start once, if the service runs with `--expose-gc`. V8 collects only when enough new
 * garbage arrives, which an idle service never produces, so it would keep those tens of megabytes forever.
 */
function collectAfterStart(): void {
  const { gc } = globalThis;
  if (gc !== undefined) setTimeout(() => gc(), COLLECT_AFTER_MS).unref();
}
