import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AishError, allows, type Scope } from '@aish/contracts';
import { findToken, quickly, touchToken, type Database } from '@aish/database';
import { bearerToken } from '@aish/http';
import { hashToken } from '../tokens/token-hash.js';
import { NEEDED_SCOPE, type AuthorizedRequest } from './needs.decorator.js';
import type { RequestLimits } from './request-limits.js';

const TOUCH_MS = 60_000;
const TOUCHED_MAX = 10_000;

/** Lets a request through when its bearer token allows what the route needs. */
@Injectable()
export class TokenGuard implements CanActivate {
  private readonly reflector = new Reflector();
  /** When this process last noted that a token was used. */
  private readonly touched = new Map<string, number>();

  constructor(
    private readonly db: Database,
    private readonly limits: RequestLimits,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const needed = this.reflector.get<Scope | 'any token' | 'nothing' | undefined>(NEEDED_SCOPE, context.getHandler());
    if (needed === 'nothing') return true;
    const request = context.switchToHttp().getRequest<AuthorizedRequest>();
    const given = bearerToken(request.headers.authorization);
    if (given === null) throw new AishError('unauthorized', 'Send a token: Authorization: Bearer aish_…');
    await this.limits.mayTry(request.ip);
    const token = await findToken(quickly(this.db), hashToken(given));
    if (token === null) {
      await this.limits.failed(request.ip);
      throw new AishError('unauthorized', 'This token is unknown, expired or revoked');
    }
    await this.limits.request(token.id);
    if (needed !== 'any token' && (needed === undefined || !allows(token.scopes, needed))) {
      throw new AishError('forbidden', `This needs a token with scope ${needed ?? 'admin'}`, {
        needed: needed ?? 'admin',
      });
    }
    await this.touch(token.id);
    request.token = token;
    return true;
  }

  /** Notes the use at most once a minute: a write for each request would be time that everybody waits. */
  private async touch(tokenId: string): Promise<void> {
    const now = Date.now();
    if (now - (this.touched.get(tokenId) ?? 0) < TOUCH_MS) return;
    if (this.touched.size >= TOUCHED_MAX) this.touched.clear();
    this.touched.set(tokenId, now);
    await touchToken(this.db.statements, tokenId);
  }
}
