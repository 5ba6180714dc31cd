import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { AishError } from '@aish/contracts/problems';
import { CSRF_HEADER } from '@aish/contracts/web';
import type { FastifyRequest } from 'fastify';

const COOKIE = 'aish_session';
/** Nobody outside can own such a name, because no public name server serves these endings. */
const HOUSE_NAME = /^[^.]+$|\.(localhost|local|lan|home|internal|home\.arpa|intranet|corp|private)$/;

/** The parts of a request that are checked. */
export type AskingRequest = Pick<FastifyRequest, 'method' | 'host' | 'hostname' | 'protocol' | 'headers'>;

/**
 * Knows the host names under which browsers may use the page: local names, the name of PUBLIC_URL, and ALLOWED_HOSTS.
 */
export class BrowserHosts {
  private readonly names: ReadonlySet<string>;
  private readonly publicUrl: URL | null;

  constructor(publicUrl: string | undefined, names: readonly string[]) {
    this.publicUrl = publicUrl === undefined ? null : new URL(publicUrl);
    this.names = new Set([...names, ...(this.publicUrl === null ? [] : [this.publicUrl.hostname])]);
  }

  /**
   * Checks the host name of a request. A foreign page may point its own name to our address and send requests as if
   * they were ours. Such a request has the foreign name. @throws AishError `host_unknown`
   */
  require({ hostname }: Pick<FastifyRequest, 'hostname'>): void {
    const name = hostname.toLowerCase().replace(/^\[(.*)\]$/, '$1');
    if (isIP(name) !== 0 || HOUSE_NAME.test(name) || this.names.has(name)) return;
    throw new AishError(
      'host_unknown',
      `Browsers may not use aish under the name ${name}. Add it to ALLOWED_HOSTS, or set PUBLIC_URL`,
      {
        name,
      },
    );
  }

  /** Returns whether the browser says that our own page sent the request. */
  isOwn({ headers, host }: Pick<FastifyRequest, 'headers' | 'host'>): boolean {
    const { origin } = headers;
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
    if (origin === undefined) return true;
    const from = URL.canParse(origin) ? new URL(origin).host : '';
    return from === host || from === this.publicUrl?.host;
  }

  /** Returns whether the browser uses TLS, as far as we know. */
  isSecure({ protocol, hostname }: Pick<FastifyRequest, 'protocol' | 'hostname'>): boolean {
    return protocol === 'https' || (this.publicUrl?.protocol === 'https:' && this.publicUrl.hostname === hostname);
  }

  /** Returns the path that a proxy puts before ours, as far as we know. The cookie is limited to this path. */
  pathOf({ hostname }: Pick<FastifyRequest, 'hostname'>): string {
    if (this.publicUrl === null || this.publicUrl.hostname !== hostname) return '/';
    return this.publicUrl.pathname.replace(/\/*$/, '/');
  }

  /**
   * Returns the token of a browser's session, or null if the request has none. @throws AishError `host_unknown`;
   * `forbidden` if another page could have caused the request
   */
  sessionToken(request: AskingRequest): string | null {
    const token = cookieOf(request);
    if (token === null) return null;
    this.require(request);
    if (!this.isOwn(request)) throw new AishError('forbidden', 'Other pages may not use this browser’s session');
    if (request.method !== 'GET' && request.method !== 'HEAD' && !isProven(request, token)) {
      throw new AishError('forbidden', `Send the header ${CSRF_HEADER} with the value from GET /v1/web/session`);
    }
    return token;
  }

  /** Returns the header that sets a browser's session cookie. A null token removes the cookie. */
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

/** Returns the proof that our own page sent a request. Only a reader of our responses knows it. */
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
