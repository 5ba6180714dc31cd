import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { McpOAuthCallback } from '@aish/contracts/mcp';
import type { McpHttpServer } from '@aish/contracts/mcp-config';
import { AishError } from '@aish/contracts/problems';
import {
  ClientCredentialsProvider,
  auth,
  type OAuthClientInformationContext,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { boundedFetch } from './bounded-fetch.js';
import { toMcpError } from './errors.js';

/** Stores the encrypted state of an authorization, because it may end in another process than it began in. */
export interface OAuthStore {
  read(alias: string, url: string): Promise<string | null>;
  write(alias: string, url: string, text: string): Promise<void>;
}

interface OAuthRecord {
  /** aish's client data by issuer. Credentials for one authorization server are never sent to another. */
  clients?: Readonly<Record<string, StoredOAuthClientInformation>>;
  tokens?: StoredOAuthTokens;
  codeVerifier?: string;
  state?: string;
  discovery?: OAuthDiscoveryState;
}

const CALLBACK_TIMEOUT_MS = 20_000;

/**
 * Authorizes aish at a server through a person's browser (authorization code with PKCE; aish registers itself if it has
 * no client ID). Only a process that shows the link starts an authorization. The others use its tokens and refresh
 * them.
 */
export class BrowserAuthorization implements OAuthClientProvider {
  private record: OAuthRecord | null = null;
  private link: string | null = null;
  private isFinishing = false;

  constructor(
    private readonly server: McpHttpServer,
    private readonly store: OAuthStore,
    private readonly callbackUrl: string,
    private readonly showsLink: boolean,
  ) {}

  /** The page for the person; null if the person need not do anything. */
  get authorizeUrl(): string | null {
    return this.link;
  }

  get redirectUrl(): string {
    return this.callbackUrl;
  }

  get clientMetadata(): OAuthClientMetadata {
    const scope = this.server.oauth?.scope ?? null;
    return {
      client_name: 'aish',
      redirect_uris: [this.callbackUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: this.given?.clientSecret ? 'client_secret_post' : 'none',
      ...(scope === null ? {} : { scope }),
    };
  }

  async state(): Promise<string> {
    const state = `${this.server.alias}.${randomBytes(24).toString('base64url')}`;
    await this.change({ state });
    return state;
  }

  async clientInformation(context?: OAuthClientInformationContext): Promise<StoredOAuthClientInformation | undefined> {
    const { given } = this;
    if (given?.clientId) {
      return { client_id: given.clientId, ...(given.clientSecret ? { client_secret: given.clientSecret } : {}) };
    }
    return (await this.read()).clients?.[issuerOf(context)];
  }

  async saveClientInformation(
    information: StoredOAuthClientInformation,
    context?: OAuthClientInformationContext,
  ): Promise<void> {
    const { clients } = await this.read();
    await this.change({ clients: { ...clients, [issuerOf(context)]: information } });
  }

  async tokens(): Promise<StoredOAuthTokens | undefined> {
    // Another process may have received or refreshed the tokens.
    this.record = null;
    return (await this.read()).tokens;
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    this.link = null;
    await this.change({ tokens });
  }

  redirectToAuthorization(url: URL): void {
    this.link = this.showsLink ? url.href : null;
  }

  saveCodeVerifier(codeVerifier: string): Promise<void> {
    return this.change({ codeVerifier });
  }

  async codeVerifier(): Promise<string> {
    const { codeVerifier } = await this.read();
    if (codeVerifier === undefined) throw new AishError('mcp_unauthorized', 'No authorization is in progress');
    return codeVerifier;
  }

  saveDiscoveryState(discovery: OAuthDiscoveryState): Promise<void> {
    return this.change({ discovery });
  }

  /**
   * Returns the discovery state, only for the end of an authorization. The end must use the same authorization server
   * as the beginning, although an MCP server may change it.
   */
  async discoveryState(): Promise<OAuthDiscoveryState | undefined> {
    return this.isFinishing ? (await this.read()).discovery : undefined;
  }

  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    const record = { ...(await this.read()) };
    if (scope === 'all' || scope === 'client') delete record.clients;
    if (scope === 'all' || scope === 'tokens') delete record.tokens;
    if (scope === 'all' || scope === 'verifier') delete record.codeVerifier;
    if (scope === 'all' || scope === 'discovery') delete record.discovery;
    await this.write(record);
  }

  /**
   * Takes the browser's callback and exchanges it for tokens.
   *
   * @throws AishError `forbidden` if the state does not match; `mcp_unauthorized` with the server's reason
   */
  async finish(callback: McpOAuthCallback): Promise<void> {
    this.record = null;
    const { state } = await this.read();
    if (state === undefined || !isEqual(state, callback.state)) {
      throw new AishError('forbidden', 'aish did not start this authorization. Start again');
    }
    await this.change({ state: `used.${randomBytes(24).toString('base64url')}` });
    if (callback.code === undefined) {
      throw new AishError('mcp_unauthorized', `The authorization was refused: ${callback.error ?? 'no reason given'}`);
    }
    const { server } = this;
    const url = new URL(server.url);
    const bounded = boundedFetch({
      connectTimeoutMs: server.connectTimeoutMs,
      headers: {},
      server,
      onOverflow: () => undefined,
    });
    const limit = AbortSignal.timeout(CALLBACK_TIMEOUT_MS);
    this.isFinishing = true;
    try {
      await auth(this, {
        serverUrl: url,
        authorizationCode: callback.code,
        ...(callback.iss === undefined ? {} : { iss: callback.iss }),
        fetchFn: (input, init) => bounded.fetch(input, { ...init, signal: limit }),
      });
    } catch (error) {
      throw toMcpError(error, server.alias);
    } finally {
      this.isFinishing = false;
      await bounded.close();
    }
  }

  private get given(): { readonly clientId: string | null; readonly clientSecret: string | null } | null {
    const { oauth } = this.server;
    return oauth?.grant === 'authorization_code' ? oauth : null;
  }

  private async read(): Promise<OAuthRecord> {
    if (this.record !== null) return this.record;
    const text = await this.store.read(this.server.alias, this.server.url);
    this.record = text === null ? {} : (JSON.parse(text) as OAuthRecord);
    return this.record;
  }

  /**
   * Changes the record. A process that shows no link must not overwrite the state of the process that does, so it
   * stores only new tokens.
   */
  private async change(change: OAuthRecord): Promise<void> {
    if (!this.showsLink && change.tokens === undefined) {
      this.record = { ...(await this.read()), ...change };
      return;
    }
    this.record = null;
    await this.write({ ...(await this.read()), ...change });
  }

  private async write(record: OAuthRecord): Promise<void> {
    this.record = record;
    await this.store.write(this.server.alias, this.server.url, JSON.stringify(record));
  }
}

/**
 * Returns the authorization of a server from the configuration or the database; null if the server does not use OAuth.
 */
export function authorizationOf(
  server: McpHttpServer,
  store: OAuthStore,
  callbackUrl: string | null,
): BrowserAuthorization | ClientCredentialsProvider | null {
  const { oauth } = server;
  if (oauth === null) return null;
  if (oauth.grant === 'authorization_code') {
    return new BrowserAuthorization(server, store, callbackUrl ?? 'http://127.0.0.1/', callbackUrl !== null);
  }
  const { clientId, clientSecret, scope, issuer } = oauth;
  const settings = { clientId, clientSecret, clientName: 'aish', ...(scope === null ? {} : { scope }) };
  return issuer === null
    ? new ClientCredentialsProvider(settings)
    : new ClientCredentialsProvider({ ...settings, expectedIssuer: issuer });
}

function issuerOf(context: OAuthClientInformationContext | undefined): string {
  return context?.issuer ?? '';
}

function isEqual(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
