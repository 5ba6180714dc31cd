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
  /** 0 picks a free port. `RunningService` contains the port in use. */
  readonly port: number;
  readonly logger: Logger;
  /** Largest request body, bytes. */
  readonly bodyLimitBytes?: number;
  /**
   * Longest time for a request to arrive whole, milliseconds; answers may take as long as they want. Files that are
   * taken with `rawBody` have ten minutes.
   */
  readonly requestTimeoutMs?: number;
  /**
   * Addresses, networks and names whose `X-Forwarded-For` is believed; none: nobody's, and the address of a request is that of
   * its connection.
   */
  readonly trustedProxies?: readonly string[];
  /** Whether connection errors without a name of their own are reported as `database_unreachable`. */
  readonly hasDatabase?: boolean;
  /** Whether SIGTERM and SIGINT end the service (its shutdown hooks run) and the process, with exit code 0. */
  readonly handleSignals?: boolean;
  /** Served as `GET /metrics`. */
  readonly metrics?: MetricsSource | undefined;
  /** Called before the service listens: OpenAPI, plain Fastify routes, hooks. */
  readonly configure?: (app: NestFastifyApplication) => void | Promise<void>;
}

export interface RunningService {
  readonly app: NestFastifyApplication;
  /** Where it listens, with the true port. */
  readonly url: string;
}

export const DEFAULT_BODY_LIMIT_BYTES = 256 * 1024;

/**
 * Starts a Nest module as an HTTP service: problem+json errors, schema validation of every parameter that has a
 * schema, pino as Nest's logger. `app.close()` cuts open streams; it does not wait for clients.
 * @throws what a provider's init threw, or the listen error (`EADDRINUSE`); nothing stays open then.
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
    // The route, not the path: paths hold ids, and their number has no bound.
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
    collectAfterStart(); // the process is this service
  }
  const url = urlOf(app, options.host);
  // Said at every log level: it is how a person finds the service.
  logger.child({}, { level: 'info' }).info({ url, pid: process.pid }, 'listening');
  return { app, url };
}

/** The client's own id where it sent a decent one: one id from a terminal to the last log line about what it asked. */
function requestId(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[A-Za-z0-9_.-]{1,64}$/.test(header) ? header : randomUUID();
}

function urlOf(app: NestFastifyApplication, host: string): string {
  const address: unknown = app.getHttpServer().address();
  const port = typeof address === 'object' && address !== null && 'port' in address ? Number(address.port) : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

const COLLECT_AFTER_MS = 10_000;

/**
 * Collects once what the start has left behind, where the service was started with `--expose-gc`. V8 does so by itself when
 * enough new garbage comes, which a service with nothing to do never makes: it would keep those tens of megabytes for good.
 */
function collectAfterStart(): void {
  const { gc } = globalThis;
  if (gc !== undefined) setTimeout(() => gc(), COLLECT_AFTER_MS).unref();
}
