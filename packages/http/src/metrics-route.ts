import { AishError } from '@aish/contracts/problems';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ProblemFilter } from './problem.filter.js';

export interface MetricsSource {
  /** Returns all metrics in Prometheus' text format. */
  readonly prometheus: () => Promise<string>;
  /** Returns whether the bearer of this `Authorization` header may read them. */
  readonly mayRead: (authorization: string | undefined) => boolean | Promise<boolean>;
}

/**
 * Adds `GET /metrics` for Prometheus. The route requires a token, because strangers should not learn how busy a home
 * is.
 */
export function addMetricsRoute(app: NestFastifyApplication, source: MetricsSource, filter: ProblemFilter): void {
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    try {
      if (!(await source.mayRead(request.headers.authorization))) {
        throw new AishError('unauthorized', 'Metrics need METRICS_TOKEN or a token with scope observe');
      }
      const text = await source.prometheus();
      await reply.type('text/plain; version=0.0.4; charset=utf-8').send(text);
    } catch (error) {
      filter.answer(error, request, reply);
    }
  };
  app
    .getHttpAdapter()
    .getInstance()
    .get('/metrics', (request: FastifyRequest, reply: FastifyReply) => void answer(request, reply));
}
