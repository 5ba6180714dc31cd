import { SetMetadata, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { invariant } from '@aish/contracts/invariant';
import type { Scope } from '@aish/contracts/tokens';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import type { FastifyRequest } from 'fastify';

export const NEEDED_SCOPE = 'aish:needed-scope';

/** The scope that a token needs, for routes that no endpoint declares. A route without it is refused for everyone. */
export const Needs = (scope: Scope | 'any token' | 'nothing'): MethodDecorator => SetMetadata(NEEDED_SCOPE, scope);

export const CONFIRMS_ACCESS = 'aish:confirms-access';

/**
 * For a route that sees itself, where it writes, that the token still holds and may work in the space: one that was seen
 * to hold a moment ago needs no look of its own beforehand.
 */
export const ConfirmsAccess = (): MethodDecorator => SetMetadata(CONFIRMS_ACCESS, true);

export interface AuthorizedRequest extends FastifyRequest {
  token?: ApiTokenRow;
}

/** The token that the request came with. */
export const CurrentToken = createParamDecorator((_: unknown, context: ExecutionContext): ApiTokenRow => {
  const { token } = context.switchToHttp().getRequest<AuthorizedRequest>();
  invariant(token !== undefined, 'a route that asks for its token takes one');
  return token;
});
