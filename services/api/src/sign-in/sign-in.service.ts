import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { ApiConfig } from '@aish/contracts/config/api.config';
import { invariant } from '@aish/contracts/invariant';
import { AishError } from '@aish/contracts/problems';
import type { SignIn, SignInState } from '@aish/contracts/sign-in';
import type { Database } from '@aish/database/client';
import {
  confirmSignIn,
  countSignIns,
  findSignIn,
  identifySignIn,
  insertSignIn,
  takeSignIn,
} from '@aish/database/sign-ins.repository';
import type { Logger } from '@aish/http';
import * as oidc from 'openid-client';
import { hashToken, TokensService } from '../tokens/tokens.service.js';
import { identityOf, type Roles } from './roles.js';

export interface SignInSettings {
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly scopes: string;
  readonly callback: string;
  readonly tokenDays: number;
  readonly roles: Roles;
}

const MINUTES = 10;
const UNDER_WAY_MAX = 100;
const PROVIDER_TIMEOUT_S = 15;
const SCOPES = 'openid profile email';
/** A person must sign in again after this number of days. */
const TOKEN_DAYS = 30;
/** The letters of a code. There are none that look alike. */
const CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

/** Returns the sign-in settings of a configuration, or null without a provider. */
export function signInSettings(config: ApiConfig): SignInSettings | null {
  if (config.OIDC_ISSUER === undefined) return null;
  invariant(config.OIDC_CLIENT_ID !== undefined && config.PUBLIC_URL !== undefined, 'a provider has a client');
  return {
    issuer: new URL(config.OIDC_ISSUER),
    clientId: config.OIDC_CLIENT_ID,
    clientSecret: config.OIDC_CLIENT_SECRET,
    scopes: SCOPES,
    callback: `${config.PUBLIC_URL.replace(/\/+$/, '')}/v1/sign-in/callback`,
    tokenDays: TOKEN_DAYS,
    roles: {
      claim: config.OIDC_CLAIM,
      admins: config.OIDC_ADMINS,
      operators: config.OIDC_OPERATORS,
      observers: config.OIDC_OBSERVERS,
    },
  };
}

/**
 * Signs people in through their own provider. The terminal starts the sign-in, the browser visits the provider and
 * returns, and the person confirms that terminal and page show the same code. Then the terminal fetches an ordinary
 * token. Without the confirmation, an attacker could send someone a link and get a token in their name.
 */
@Injectable()
export class SignInService {
  private provider: Promise<oidc.Configuration> | null = null;

  constructor(
    @Part('db') private readonly db: Database,
    private readonly tokens: TokensService,
    @Part('signIn') private readonly settings: SignInSettings | null,
    @Part('logger') private readonly logger: Logger,
  ) {}

  /** @throws AishError `sign_in_off`; `too_many`; `sign_in_failed` if the provider does not respond */
  async begin(): Promise<SignIn> {
    const settings = this.required();
    if ((await countSignIns(this.db.statements)) >= UNDER_WAY_MAX) {
      throw new AishError('too_many', 'Too many sign-ins are in progress. Try again in a minute', { retryAfterS: 60 });
    }
    const provider = await this.discover(settings);
    const row = {
      id: randomUUID(),
      code: Array.from({ length: 6 }, () => CODE_LETTERS[randomInt(CODE_LETTERS.length)]).join(''),
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
    };
    const secret = randomBytes(32).toString('base64url');
    await insertSignIn(this.db.statements, { ...row, secretHash: hashToken(secret), minutes: MINUTES });
    const url = oidc.buildAuthorizationUrl(provider, {
      redirect_uri: settings.callback,
      scope: settings.scopes,
      state: row.state,
      nonce: row.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(row.verifier),
      code_challenge_method: 'S256',
    });
    return { id: row.id, url: url.href, code: row.code, secret, expiresInS: MINUTES * 60 };
  }

  /**
   * Takes the provider's answer, which the browser delivers. @param query of the callback, unchanged @throws AishError
   * `sign_in_failed` if the sign-in is unknown or expired, if the provider refused it, or if the person is not a user
   * here
   */
  async identify(query: URLSearchParams): Promise<{ id: string; code: string; name: string; confirmation: string }> {
    const settings = this.required();
    const row = await findSignIn(this.db.statements, query.get('state') ?? '');
    if (row === null) throw failed('This sign-in is unknown or has expired. Start again');
    const provider = await this.discover(settings);
    const url = new URL(settings.callback);
    url.search = query.toString();
    const claims = await oidc
      .authorizationCodeGrant(provider, url, {
        pkceCodeVerifier: row.verifier,
        expectedNonce: row.nonce,
        expectedState: row.state,
        idTokenExpected: true,
      })
      .then((answer) => answer.claims())
      .catch((err: unknown) => {
        this.logger.warn({ err }, 'the provider did not sign a person in');
        throw failed('The provider did not sign you in. See the log of the api');
      });
    if (claims === undefined) throw failed('The provider did not say who you are');
    const { name, scopes } = identityOf(claims, settings.roles);
    if (scopes.length === 0) {
      this.logger.warn({ name }, 'a person without a role wanted to sign in');
      throw failed(`${name} has no role here. An admin gives roles with OIDC_ADMINS, OIDC_OPERATORS, OIDC_OBSERVERS`);
    }
    const confirmation = randomBytes(32).toString('base64url');
    if (!(await identifySignIn(this.db.statements, row.id, { name, scopes, confirmation }))) {
      throw failed('This sign-in has already been used. Start again');
    }
    return { id: row.id, code: row.code, name, confirmation };
  }

  /** @throws AishError `sign_in_failed` */
  async confirm(id: string, confirmation: string): Promise<void> {
    this.required();
    if (!(await confirmSignIn(this.db.statements, id, confirmation))) {
      throw failed('This sign-in is unknown or has expired. Start again');
    }
  }

  /**
   * Returns the token when the person has confirmed. The terminal, or a browser's page, polls this. @param web is set
   * for a browser's session @throws AishError `sign_in_failed` once there is nothing to wait for
   */
  async fetch(id: string, secret: string, web?: { readonly parentId: null }): Promise<SignInState> {
    const { tokenDays } = this.required();
    const taken = await takeSignIn(this.db.statements, id, hashToken(secret));
    if (taken === null) throw failed('This sign-in is unknown or has expired. Start again');
    if (taken === 'waiting') return { state: 'waiting', token: null };
    // One person may have several terminals, and the suffix tells their tokens apart.
    const name = `${taken.name}.${randomBytes(3).toString('hex')}`;
    const input = { name, scopes: [...taken.scopes], expiresInDays: tokenDays };
    const token = await this.tokens.create(taken.name, input, web);
    return { state: 'done', token };
  }

  get isOn(): boolean {
    return this.settings !== null;
  }

  /** @throws AishError `sign_in_off` without a provider */
  required(): SignInSettings {
    if (this.settings === null) throw new AishError('sign_in_off', 'No provider is configured. Use a token');
    return this.settings;
  }

  /** Discovers the provider once. After a failure, the next call tries again. */
  private async discover(settings: SignInSettings): Promise<oidc.Configuration> {
    this.provider ??= oidc.discovery(settings.issuer, settings.clientId, settings.clientSecret, undefined, {
      timeout: PROVIDER_TIMEOUT_S,
      // A local provider may use plain HTTP if its owner configured it that way.
      ...(settings.issuer.protocol === 'http:' ? { execute: [oidc.allowInsecureRequests] } : {}),
    });
    try {
      return await this.provider;
    } catch (cause) {
      this.provider = null;
      this.logger.warn({ err: cause }, 'the provider does not answer');
      throw new AishError('sign_in_failed', 'The provider does not respond. See the log of the api', {}, { cause });
    }
  }
}

function failed(message: string): AishError {
  return new AishError('sign_in_failed', message);
}
