import { webSessionApi } from '@aish/contracts/endpoints/sign-in';
import { Serve, ServeRaw, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { VERSION } from '@aish/contracts/health';
import { AishError, isAishError } from '@aish/contracts/problems';
import { WEB_SESSION_DAYS } from '@aish/contracts/web';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestLimits } from '../http/request-limits.js';
import { DeviceLoginService } from '../sign-in/device-login.service.js';
import { SignInService } from '../sign-in/sign-in.service.js';
import { BrowserHosts, cookieOf, csrfOf } from './browser-request.js';
import { WebSessionService } from './web-session.service.js';

const SESSION_S = WEB_SESSION_DAYS * 86_400;
/** A session from a sign-in has no parent token whose revocation would end it. */
const NO_PARENT = { parentId: null };

/** Serves sign-in and sign-out of the page. Its session is a cookie that scripts cannot read. */
@Controller()
export class WebSessionController {
  constructor(
    private readonly sessions: WebSessionService,
    private readonly logins: DeviceLoginService,
    private readonly signIns: SignInService,
    private readonly limits: RequestLimits,
    private readonly hosts: BrowserHosts,
  ) {}

  @Serve(webSessionApi.signInsHere)
  signInsHere() {
    return { oidc: this.signIns.isOn, version: VERSION };
  }

  @ServeRaw(webSessionApi.begin)
  async begin({ body: { token }, request }: Call<typeof webSessionApi.begin>, reply: FastifyReply): Promise<void> {
    this.fromOwnPage(request);
    await this.limits.mayTry(request.ip);
    const session = await this.sessions.begin(token.trim());
    if (session === null) {
      await this.limits.failed(request.ip);
      throw new AishError('unauthorized', 'This token is unknown, expired or revoked');
    }
    await this.done(request, reply, session);
  }

  @Serve(webSessionApi.device)
  async device({ request }: Call<typeof webSessionApi.device>) {
    this.fromOwnPage(request);
    await this.limits.signIn(request.ip);
    return this.logins.begin('browser', request.ip, `${request.protocol}://${request.host}`);
  }

  @ServeRaw(webSessionApi.deviceSession)
  async deviceSession(
    { body: { deviceCode }, request }: Call<typeof webSessionApi.deviceSession>,
    reply: FastifyReply,
  ): Promise<void> {
    this.fromOwnPage(request);
    try {
      const { access_token: token } = await this.logins.token(deviceCode, NO_PARENT);
      await this.done(request, reply, token);
    } catch (error) {
      if (isAishError(error, 'authorization_pending', 'slow_down')) await reply.send({ state: 'waiting' });
      else {
        if (isAishError(error, 'expired_token')) await this.limits.signIn(request.ip);
        throw error;
      }
    }
  }

  @Serve(webSessionApi.signIn)
  async signIn({ request }: Call<typeof webSessionApi.signIn>) {
    this.fromOwnPage(request);
    this.signIns.required();
    await this.limits.signIn(request.ip);
    return this.signIns.begin();
  }

  @ServeRaw(webSessionApi.signInSession)
  async signInSession(
    { params: { id }, body: { secret }, request }: Call<typeof webSessionApi.signInSession>,
    reply: FastifyReply,
  ): Promise<void> {
    this.fromOwnPage(request);
    try {
      const { token } = await this.signIns.fetch(id, secret, NO_PARENT);
      if (token === null) await reply.send({ state: 'waiting' });
      else await this.done(request, reply, token.token);
    } catch (error) {
      if (isAishError(error, 'sign_in_failed')) await this.limits.signIn(request.ip);
      throw error;
    }
  }

  @Serve(webSessionApi.show)
  show({ token: { name, owner, scopes }, request }: Call<typeof webSessionApi.show>) {
    return { name, owner, scopes: [...scopes], csrf: csrfOf(cookieOf(request) ?? ''), version: VERSION };
  }

  @ServeRaw(webSessionApi.signOut)
  async signOut({ token, request }: Call<typeof webSessionApi.signOut>, reply: FastifyReply): Promise<void> {
    await this.sessions.end(token, token.id);
    await this.forget(request, reply);
  }

  @Serve(webSessionApi.devices)
  async devices({ token }: Call<typeof webSessionApi.devices>) {
    return { items: await this.sessions.devices(token) };
  }

  @ServeRaw(webSessionApi.signOutEverywhere)
  async signOutEverywhere(
    { token, request }: Call<typeof webSessionApi.signOutEverywhere>,
    reply: FastifyReply,
  ): Promise<void> {
    await this.sessions.end(token, null);
    await this.forget(request, reply);
  }

  @Serve(webSessionApi.signOutOther)
  async signOutOther({ token, params: { id } }: Call<typeof webSessionApi.signOutOther>) {
    await this.sessions.end(token, id);
  }

  /** @throws AishError `host_unknown`, `forbidden` */
  private fromOwnPage(request: FastifyRequest): void {
    this.hosts.require(request);
    if (!this.hosts.isOwn(request)) throw new AishError('forbidden', 'Only aish’s own page can sign in a browser');
  }

  private async done(request: FastifyRequest, reply: FastifyReply, token: string): Promise<void> {
    const cookie = this.hosts.cookie(request, token, SESSION_S);
    await reply.headers({ 'set-cookie': cookie, 'cache-control': 'no-store' }).send({ state: 'done' });
  }

  /**
   * Clears the browser's stored data together with the session, so that the next user of the browser cannot read it.
   */
  private async forget(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const cookie = this.hosts.cookie(request, null);
    await reply.status(204).headers({ 'set-cookie': cookie, 'clear-site-data': '"cache", "storage"' }).send();
  }
}
