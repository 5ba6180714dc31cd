import { createHash } from 'node:crypto';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AishError, allows, type Scope } from '@aish/contracts';
import { findToken, touchToken, type Database } from '@aish/database';
import { bearerToken } from '@aish/http';
import { NEEDED_SCOPE, type AuthorizedRequest } from './needs.decorator.js';

/** The form in which a token is kept. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Lets a request through when its bearer token allows what the route needs. */
@Injectable()
export class TokenGuard implements CanActivate {
  private readonly reflector = new Reflector();

  constructor(private readonly db: Database) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const needed = this.reflector.get<Scope | 'nothing' | undefined>(NEEDED_SCOPE, context.getHandler());
    if (needed === 'nothing') return true;
    const request = context.switchToHttp().getRequest<AuthorizedRequest>();
    const given = bearerToken(request.headers.authorization);
    if (given === null) throw new AishError('unauthorized', 'Send a token: Authorization: Bearer aish_…');
    const token = await findToken(this.db.prisma, hashToken(given));
    if (token === null) throw new AishError('unauthorized', 'This token is unknown, expired or revoked');
    if (needed === undefined || !allows(token.scopes, needed)) {
      throw new AishError('forbidden', `This needs a token with scope ${needed ?? 'admin'}`, {
        needed: needed ?? 'admin',
      });
    }
    await touchToken(this.db.prisma, token.id);
    request.token = token;
    return true;
  }
}
