import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { AishError, toProblem } from '@aish/contracts/problems';
import { measured } from '@aish/telemetry';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseUnavailable } from './database-unavailable.js';
import type { Logger } from './logger.js';

const RETRY_DATABASE_S = 2;

/**
 * Turns every error into an HTTP response: `application/problem+json` with a stable code. Anything other than an
 * AishError or a fault of the request becomes `internal`. It is logged with its stack, and its message is never sent.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    private readonly logger: Logger,
    private readonly bodyLimitBytes: number,
    /** Whether broken connections are those to a database. */
    private readonly hasDatabase = false,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    this.answer(
      thrown,
      host.switchToHttp().getRequest<FastifyRequest>(),
      host.switchToHttp().getResponse<FastifyReply>(),
    );
  }

  /** Answers errors that Fastify finds before Nest, for example a malformed URL. */
  answer(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const error = this.toAishError(thrown);
    const path = pathOf(request.url);
    measured.errors.add(1, { code: error.code });
    if (error.status >= 500) {
      const known = thrown instanceof AishError && thrown.code !== 'internal';
      this.logger[known ? 'warn' : 'error'](
        { err: thrown, requestId: request.id, method: request.method, path, code: error.code },
        'answered with an error',
      );
    }
    if (reply.sent || reply.raw.headersSent) {
      // A stream has begun, so its status was already sent. Breaking it off is the only way left to tell the client.
      reply.raw.destroy();
      return;
    }
    const retryAfterS = error.facts['retryAfterS'];
    if (typeof retryAfterS === 'number') void reply.header('Retry-After', String(Math.ceil(retryAfterS)));
    if (error.code === 'unauthorized') void reply.header('WWW-Authenticate', 'Bearer');
    void reply
      .status(error.status)
      .type('application/problem+json')
      .send(JSON.stringify(toProblem(error, path)));
  }

  private toAishError(thrown: unknown): AishError {
    if (thrown instanceof AishError) return thrown;
    const status = statusOf(thrown);
    const code = codeOf(thrown) ?? (thrown instanceof HttpException ? codeOf(thrown.cause) : undefined);
    if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
      const detail = `A request body may have at most ${this.bodyLimitBytes} bytes`;
      return new AishError('payload_too_large', detail, { limitBytes: this.bodyLimitBytes });
    }
    if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' || code === 'FST_ERR_CTP_INVALID_TYPE') {
      return new AishError('unsupported_media_type', 'Send the body as JSON, with Content-Type: application/json');
    }
    if (code === 'FST_ERR_CTP_EMPTY_JSON_BODY') {
      return new AishError('invalid_body', 'The request has no body. Send a JSON document', { errors: [] });
    }
    const message = thrown instanceof Error ? thrown.message : '';
    if (status === 404) return new AishError('not_found', message || 'There is no such route');
    if (status === 413) return new AishError('payload_too_large', message);
    if (status === 415) return new AishError('unsupported_media_type', message);
    if (status === 401) return new AishError('unauthorized', message);
    if (status === 403) return new AishError('forbidden', message);
    // The request is at fault: JSON that does not parse, a malformed URL, a body that ends early. The response repeats
    // the parser's message.
    if (status !== undefined && status >= 400 && status < 500) {
      return new AishError('invalid_body', message, { errors: [] });
    }
    if (this.hasDatabase && isDatabaseUnavailable(thrown)) {
      const facts = { retryAfterS: RETRY_DATABASE_S };
      return new AishError('database_unreachable', 'Before you retry a change, check whether it was made', facts, {
        cause: thrown,
      });
    }
    return new AishError(
      'internal',
      'An unexpected error occurred. See the log of the service.',
      {},
      { cause: thrown },
    );
  }
}

function statusOf(thrown: unknown): number | undefined {
  if (thrown instanceof HttpException) return thrown.getStatus();
  if (thrown instanceof SyntaxError && 'statusCode' in thrown) return 400;
  if (thrown instanceof Error && 'statusCode' in thrown && typeof thrown.statusCode === 'number') {
    // Only Fastify's own errors are about this request. An error of a client library may have the status of another
    // request.
    return codeOf(thrown)?.startsWith('FST_') === true ? thrown.statusCode : undefined;
  }
  return undefined;
}

function codeOf(value: unknown): string | undefined {
  return value instanceof Error && 'code' in value && typeof value.code === 'string' ? value.code : undefined;
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? url;
}
