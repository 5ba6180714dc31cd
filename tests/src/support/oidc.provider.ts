import { createServer, type Server } from 'node:http';
import { Provider } from 'oidc-provider';

/** Runs a real OpenID Connect provider with people whose password is their name. */
export class OidcProvider {
  private constructor(
    readonly issuer: string,
    private readonly server: Server,
  ) {}

  /** @param groups the groups of each person, by name */
  static async start(options: {
    readonly port: number;
    readonly clientId: string;
    readonly clientSecret: string;
    readonly redirectUri: string;
    readonly groups: Readonly<Record<string, readonly string[]>>;
  }): Promise<OidcProvider> {
    const issuer = `http://127.0.0.1:${options.port}`;
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: options.clientId,
          client_secret: options.clientSecret,
          redirect_uris: [options.redirectUri],
          response_types: ['code'],
          grant_types: ['authorization_code'],
        },
      ],
      claims: { openid: ['sub'], profile: ['preferred_username', 'groups'] },
      conformIdTokenClaims: false,
      cookies: { keys: ['for this test only'] },
      findAccount: (_context, id) => ({
        accountId: id,
        claims: () => ({ sub: id, preferred_username: id, groups: options.groups[id] ?? [] }),
      }),
    });
    const answer = provider.callback();
    const server = createServer((request, response) => void answer(request, response));
    await new Promise<void>((resolve) => void server.listen(options.port, '127.0.0.1', resolve));
    return new OidcProvider(issuer, server);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Implements the parts of a browser that a sign-in needs: cookies, redirects and forms. */
export class Browser {
  private readonly cookies = new Map<string, string>();

  async open(
    url: string,
    form?: Readonly<Record<string, string>>,
  ): Promise<{ url: string; status: number; html: string }> {
    let next = url;
    let body: URLSearchParams | undefined = form === undefined ? undefined : new URLSearchParams(form);
    for (let hops = 0; hops < 20; hops += 1) {
      const host = new URL(next).host;
      const response = await fetch(next, {
        method: body === undefined ? 'GET' : 'POST',
        ...(body === undefined ? {} : { body }),
        headers: { cookie: this.cookieOf(host) },
        redirect: 'manual',
      });
      for (const cookie of response.headers.getSetCookie()) this.keep(host, cookie);
      const location = response.headers.get('location');
      if (location === null) return { url: next, status: response.status, html: await response.text() };
      await response.body?.cancel();
      next = new URL(location, next).href;
      body = undefined;
    }
    throw new Error('Browser: redirected without an end');
  }

  private keep(host: string, cookie: string): void {
    const [pair = ''] = cookie.split(';', 1);
    const at = pair.indexOf('=');
    this.cookies.set(`${host} ${pair.slice(0, at)}`, pair.slice(at + 1));
  }

  private cookieOf(host: string): string {
    return Array.from(this.cookies)
      .filter(([key]) => key.startsWith(`${host} `))
      .map(([key, value]) => `${key.slice(host.length + 1)}=${value}`)
      .join('; ');
  }
}
