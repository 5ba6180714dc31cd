import { Body, Controller, Delete, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { DeviceLogin } from '@aish/contracts/device-login';
import { VERSION } from '@aish/contracts/health';
import { AishError, isAishError } from '@aish/contracts/problems';
import { FetchSignIn, SignIn } from '@aish/contracts/sign-in';
import {
  AskWebDevice,
  BeginWebSession,
  WEB_SESSION_DAYS,
  WebDeviceList,
  WebSession,
  WebSignInState,
  WebSignIns,
} from '@aish/contracts/web';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { RequestLimits } from '../http/request-limits.js';
import { DeviceLoginService } from '../sign-in/device-login.service.js';
import { SignInService } from '../sign-in/sign-in.service.js';
import { BrowserHosts, cookieOf, csrfOf } from './browser-request.js';
import { WebSessionService } from './web-session.service.js';

const Id = z.uuid();
const SESSION_S = WEB_SESSION_DAYS * 86_400;
/** Begun with nothing that could be revoked before it. */
const NO_PARENT = { parentId: null };

/** How the page signs in and out. Its session is a cookie that no script reads. */
@ApiTags('web')
@Controller('v1/web')
export class WebSessionController {
  constructor(
    private readonly sessions: WebSessionService,
    private readonly logins: DeviceLoginService,
    private readonly signIns: SignInService,
    private readonly limits: RequestLimits,
    private readonly hosts: BrowserHosts,
  ) {}

  @Get('sign-ins')
  @Needs('nothing')
  @ApiOperation({ summary: 'How a browser may sign in' })
  @ApiOkResponse({ standardSchema: WebSignIns })
  signInsHere(): WebSignIns {
    return { oidc: this.signIns.isOn, version: VERSION };
  }

  @Post('session')
  @HttpCode(200)
  @Needs('nothing')
  @ApiOperation({ summary: 'Sign a browser in with a token, which is sent this once; sets a cookie' })
  @ApiOkResponse({ standardSchema: WebSignInState })
  async begin(
    @Req() request: FastifyRequest,
    @Body({ schema: BeginWebSession }) { token }: BeginWebSession,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.fromOwnPage(request);
    await this.limits.mayTry(request.ip);
    const session = await this.sessions.begin(token.trim());
    if (session === null) {
      await this.limits.failed(request.ip);
      throw new AishError('unauthorized', 'This token is unknown, expired or revoked');
    }
    await this.done(request, reply, session);
  }

  @Post('device')
  @HttpCode(200)
  @Needs('nothing')
  @ApiOperation({ summary: 'Ask for a code that somebody who is signed in lets this browser in with' })
  @ApiOkResponse({ standardSchema: DeviceLogin })
  async device(@Req() request: FastifyRequest): Promise<DeviceLogin> {
    this.fromOwnPage(request);
    await this.limits.signIn(request.ip);
    return this.logins.begin('browser', request.ip, `${request.protocol}://${request.host}`);
  }

  @Post('device/session')
  @HttpCode(200)
  @Needs('nothing')
  @ApiOperation({ summary: 'Sign the browser in, once somebody has said yes; sets a cookie' })
  @ApiOkResponse({ standardSchema: WebSignInState })
  async deviceSession(
    @Req() request: FastifyRequest,
    @Body({ schema: AskWebDevice }) { deviceCode }: AskWebDevice,
    @Res() reply: FastifyReply,
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

  @Post('sign-in')
  @HttpCode(200)
  @Needs('nothing')
  @ApiOperation({ summary: 'Begin to sign a browser in through the household’s provider' })
  @ApiOkResponse({ standardSchema: SignIn })
  async signIn(@Req() request: FastifyRequest): Promise<SignIn> {
    this.fromOwnPage(request);
    this.signIns.required();
    await this.limits.signIn(request.ip);
    return this.signIns.begin();
  }

  @Post('sign-in/:id/session')
  @HttpCode(200)
  @Needs('nothing')
  @ApiOperation({ summary: 'Sign the browser in, once the person has confirmed; sets a cookie' })
  @ApiOkResponse({ standardSchema: WebSignInState })
  async signInSession(
    @Req() request: FastifyRequest,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: FetchSignIn }) { secret }: FetchSignIn,
    @Res() reply: FastifyReply,
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

  @Get('session')
  @ApiBearerAuth()
  @Needs('any token')
  @ApiOperation({ summary: 'Who is signed in, and what its pages prove themselves with' })
  @ApiOkResponse({ standardSchema: WebSession })
  show(@Req() request: FastifyRequest, @CurrentToken() { name, owner, scopes }: ApiTokenRow): WebSession {
    return { name, owner, scopes: [...scopes], csrf: csrfOf(cookieOf(request) ?? ''), version: VERSION };
  }

  @Delete('session')
  @HttpCode(204)
  @ApiBearerAuth()
  @Needs('any token')
  @ApiOperation({ summary: 'Sign this browser out' })
  async signOut(
    @CurrentToken() token: ApiTokenRow,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.sessions.end(token, token.id);
    await this.forget(request, reply);
  }

  @Get('devices')
  @ApiBearerAuth()
  @Needs('any token')
  @ApiOperation({ summary: 'The browsers that this person is signed in with' })
  @ApiOkResponse({ standardSchema: WebDeviceList })
  async devices(@CurrentToken() token: ApiTokenRow): Promise<WebDeviceList> {
    return { items: await this.sessions.devices(token) };
  }

  @Delete('devices')
  @HttpCode(204)
  @ApiBearerAuth()
  @Needs('any token')
  @ApiOperation({ summary: 'Sign every browser of this person out, this one too' })
  async signOutEverywhere(
    @CurrentToken() token: ApiTokenRow,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.sessions.end(token, null);
    await this.forget(request, reply);
  }

  @Delete('devices/:id')
  @HttpCode(204)
  @ApiBearerAuth()
  @Needs('any token')
  @ApiOperation({ summary: 'Sign one browser of this person out' })
  async signOutOther(@CurrentToken() token: ApiTokenRow, @Param('id', { schema: Id }) id: string): Promise<void> {
    await this.sessions.end(token, id);
  }

  /** @throws AishError `host_unknown`, `forbidden` */
  private fromOwnPage(request: FastifyRequest): void {
    this.hosts.require(request);
    if (!this.hosts.isOwn(request)) throw new AishError('forbidden', 'Only the page of aish signs a browser in');
  }

  private async done(request: FastifyRequest, reply: FastifyReply, token: string): Promise<void> {
    const cookie = this.hosts.cookie(request, token, SESSION_S);
    await reply.headers({ 'set-cookie': cookie, 'cache-control': 'no-store' }).send({ state: 'done' });
  }

  /** What the browser kept of us goes with the session: nobody after it reads what was seen. */
  private async forget(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const cookie = this.hosts.cookie(request, null);
    await reply.status(204).headers({ 'set-cookie': cookie, 'clear-site-data': '"cache", "storage"' }).send();
  }
}
