import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { AishError } from '@aish/contracts/problems';
import { CSRF_HEADER } from '@aish/contracts/web';
import type { FastifyRequest } from 'fastify';

const COOKIE = 'aish_session';
/** Names that nobody outside of the house can have: what ends so is on no public name server. */
const HOUSE_NAME = /^[^.]+$|\.(localhost|local|lan|home|internal|home\.arpa|intranet|corp|private)$/;

/** What is looked at of a request. */
export type AskingRequest = Pick<FastifyRequest, 'method' | 'host' | 'hostname' | 'protocol' | 'headers'>;

/** Under which names browsers may use the page: those of the house, that of PUBLIC_URL, and what ALLOWED_HOSTS adds. */
export class BrowserHosts {
  private readonly names: ReadonlySet<string>;
  private readonly publicUrl: URL | null;

  constructor(publicUrl: string | undefined, names: readonly string[]) {
    this.publicUrl = publicUrl === undefined ? null : new URL(publicUrl);
    this.names = new Set([...names, ...(this.publicUrl === null ? [] : [this.publicUrl.hostname])]);
  }

  /**
   * A stranger's page may point its own name to our address and send requests as if it were us. The request has that
   * name.
   * @throws AishError `host_unknown`
   */
  require({ hostname }: Pick<FastifyRequest, 'hostname'>): void {
    const name = hostname.toLowerCase().replace(/^\[(.*)\]$/, '$1');
    if (isIP(name) !== 0 || HOUSE_NAME.test(name) || this.names.has(name)) return;
    throw new AishError(
      'host_unknown',
      `Browsers may not use aish under the name ${name}; ALLOWED_HOSTS or PUBLIC_URL allows it`,
      {
        name,
      },
    );
  }

  /** Whether the browser says that a page of ours asks. */
  isOwn({ headers, host }: Pick<FastifyRequest, 'headers' | 'host'>): boolean {
    const { origin } = headers;
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
    if (origin === undefined) return true;
    const from = URL.canParse(origin) ? new URL(origin).host : '';
    return from === host || from === this.publicUrl?.host;
  }

  /** Whether the browser reaches us over TLS, as far as we know. */
  isSecure({ protocol, hostname }: Pick<FastifyRequest, 'protocol' | 'hostname'>): boolean {
    return protocol === 'https' || (this.publicUrl?.protocol === 'https:' && this.publicUrl.hostname === hostname);
  }

  /** The path that a proxy puts before ours, as far as we know: a cookie goes no further. */
  pathOf({ hostname }: Pick<FastifyRequest, 'hostname'>): string {
    if (this.publicUrl === null || this.publicUrl.hostname !== hostname) return '/';
    return this.publicUrl.pathname.replace(/\/*$/, '/');
  }

  /**
   * The token of a browser's session; null where the request has none.
   * @throws AishError `host_unknown`, `forbidden` where another page could have made the browser send it
   */
  sessionToken(request: AskingRequest): string | null {
    const token = cookieOf(request);
    if (token === null) return null;
    this.require(request);
    if (!this.isOwn(request))
      throw new AishError('forbidden', 'Pages of others may not use the session of this browser');
    if (request.method !== 'GET' && request.method !== 'HEAD' && !isProven(request, token)) {
      throw new AishError('forbidden', `Say which page asks: ${CSRF_HEADER} as GET /v1/web/session gives it`);
    }
    return token;
  }

  /** The header that gives a browser its session, or with null takes it away. */
  cookie(request: AskingRequest, token: string | null, maxAgeS = 0): string {
    return [
      `${COOKIE}=${token ?? ''}`,
      `Path=${this.pathOf(request)}`,
      `Max-Age=${token === null ? 0 : maxAgeS}`,
      'HttpOnly',
      'SameSite=Strict',
      ...(this.isSecure(request) ? ['Secure'] : []),
    ].join('; ');
  }
}

/** What a page of ours proves with that it is one: only who can read our answers knows it. */
export function csrfOf(token: string): string {
  return createHash('sha256').update(`csrf ${token}`).digest('base64url');
}

export function cookieOf({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
  return new RegExp(`(?:^|;\\s*)${COOKIE}=([\\w-]+)`).exec(headers.cookie ?? '')?.[1] ?? null;
}

function isProven({ headers }: AskingRequest, token: string): boolean {
  const given = Buffer.from(String(headers[CSRF_HEADER] ?? ''));
  const wanted = Buffer.from(csrfOf(token));
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
