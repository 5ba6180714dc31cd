import { Part } from '../part.js';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AishError } from '@aish/contracts/problems';
import { allows, type Scope } from '@aish/contracts/tokens';
import type { Database } from '@aish/database/client';
import { findToken, refusedToken, touchToken, type ApiTokenRow } from '@aish/database/tokens.repository';
import { bearerToken } from '@aish/http';
import { Presence } from '../notifications/presence.js';
import { hashToken } from '../tokens/tokens.service.js';
import { BrowserHosts } from '../web/browser-request.js';
import { CONFIRMS_ACCESS, NEEDED_SCOPE, type AuthorizedRequest } from './needs.decorator.js';
import { RequestLimits } from './request-limits.js';

const TOUCH_MS = 60_000;
const TOKENS_KEPT = 10_000;

/** Accepts a request if its bearer token or its browser session allows the things that the route needs. */
@Injectable()
export class TokenGuard implements CanActivate {
  private readonly reflector = new Reflector();
  /** The times at which this process last recorded the use of each token. */
  private readonly touched = new Map<string, number>();
  /** Recently found tokens by hash, with the time when they were found. Only their validity can change. */
  private readonly found = new Map<string, { readonly token: ApiTokenRow; readonly at: number }>();

  constructor(
    @Part('db') private readonly db: Database,
    private readonly limits: RequestLimits,
    private readonly hosts: BrowserHosts,
    private readonly presence: Presence,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const needed = this.reflector.get<Scope | 'any token' | 'nothing' | undefined>(NEEDED_SCOPE, context.getHandler());
    if (needed === 'nothing') return true;
    const request = context.switchToHttp().getRequest<AuthorizedRequest>();
    const { authorization } = request.headers;
    const given = authorization === undefined ? this.hosts.sessionToken(request) : bearerToken(authorization);
    if (given === null) throw new AishError('unauthorized', 'Send a token: Authorization: Bearer aish_…');
    const proof = authorization === undefined ? 'session' : 'token';
    await this.limits.mayTry(request.ip, proof);
    const confirmsAccess = this.reflector.get<boolean | undefined>(CONFIRMS_ACCESS, context.getHandler()) === true;
    const hash = hashToken(given);
    const token = (confirmsAccess ? this.foundLately(hash) : null) ?? (await this.find(hash));
    if (token === null) {
      await this.limits.failed(request.ip, proof);
      throw refusedToken();
    }
    await this.limits.request(token.id);
    if (needed !== 'any token' && (needed === undefined || !allows(token.scopes, needed))) {
      throw new AishError('forbidden', `This request needs a token with scope ${needed ?? 'admin'}`, {
        needed: needed ?? 'admin',
      });
    }
    await this.touch(token.id);
    request.token = token;
    if (request.method !== 'GET') this.presence.acted(token, Date.now());
    return true;
  }

  private foundLately(hash: string): ApiTokenRow | null {
    const found = this.found.get(hash);
    return found === undefined || performance.now() - found.at > TOUCH_MS ? null : found.token;
  }

  private async find(hash: string): Promise<ApiTokenRow | null> {
    const token = await findToken(this.db.statements, hash);
    if (this.found.size >= TOKENS_KEPT) this.found.clear();
    if (token === null) this.found.delete(hash);
    else this.found.set(hash, { token, at: performance.now() });
    return token;
  }

  /** Records the use of a token at most once a minute. A write for each request would slow down every request. */
  private async touch(tokenId: string): Promise<void> {
    const now = Date.now();
    if (now - (this.touched.get(tokenId) ?? 0) < TOUCH_MS) return;
    if (this.touched.size >= TOKENS_KEPT) this.touched.clear();
    this.touched.set(tokenId, now);
    await touchToken(this.db.statements, tokenId);
  }
}
