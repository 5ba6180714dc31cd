import { AishError } from '@aish/contracts/problems';
import { bearerMatches } from '@aish/http';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** Guards every route except the health page. Callers need the secret that aish's services share. */
export class TokenGuard implements CanActivate {
  constructor(private readonly secret: string) {}

  canActivate(context: ExecutionContext): boolean {
    const { headers, routeOptions } = context.switchToHttp().getRequest<FastifyRequest>();
    if (routeOptions.url === '/v1/health' || bearerMatches(headers.authorization, this.secret)) return true;
    throw new AishError('unauthorized', 'Send the header Authorization: Bearer with the value of SANDBOX_TOKEN');
  }
}
