import { SetMetadata, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { invariant } from '@aish/contracts/invariant';
import type { Scope } from '@aish/contracts/tokens';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import type { FastifyRequest } from 'fastify';

export const NEEDED_SCOPE = 'aish:needed-scope';

/** Sets the scope that a token needs, for routes without an endpoint. A route without a scope refuses everyone. */
export const Needs = (scope: Scope | 'any token' | 'nothing'): MethodDecorator => SetMetadata(NEEDED_SCOPE, scope);

export const CONFIRMS_ACCESS = 'aish:confirms-access';

/**
 * Marks a route that checks the token and its space while it writes. A token that was valid a moment ago needs no
 * separate check before that.
 */
export const ConfirmsAccess = (): MethodDecorator => SetMetadata(CONFIRMS_ACCESS, true);

export interface AuthorizedRequest extends FastifyRequest {
  token?: ApiTokenRow;
}

/** Injects the token of the request. */
export const CurrentToken = createParamDecorator((_: unknown, context: ExecutionContext): ApiTokenRow => {
  const { token } = context.switchToHttp().getRequest<AuthorizedRequest>();
  invariant(token !== undefined, 'a route that asks for its token takes one');
  return token;
});
