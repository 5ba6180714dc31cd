import { signInApi } from '@aish/contracts/endpoints/sign-in';
import { Serve, type Call } from '../http/serve.js';
import { Body, Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { isAishError } from '@aish/contracts/problems';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Needs } from '../http/needs.decorator.js';
import { RequestLimits } from '../http/request-limits.js';
import { PAGE_HEADERS, escapeHtml, messagePage, page } from '../http/page.js';
import { fromTerminal } from './from-terminal.js';
import { SignInService } from './sign-in.service.js';

const Confirmation = z.object({ id: z.uuid(), confirmation: z.string().max(64) });
type Confirmation = z.infer<typeof Confirmation>;

@Controller()
export class SignInController {
  constructor(
    private readonly signIns: SignInService,
    private readonly limits: RequestLimits,
  ) {}

  @Serve(signInApi.begin)
  async begin({ request }: Call<typeof signInApi.begin>) {
    fromTerminal(request);
    this.signIns.required();
    await this.limits.signIn(request.ip);
    return this.signIns.begin();
  }

  @Serve(signInApi.fetch)
  async fetch({ params: { id }, body: { secret }, request }: Call<typeof signInApi.fetch>) {
    fromTerminal(request);
    try {
      return await this.signIns.fetch(id, secret);
    } catch (error) {
      if (isAishError(error, 'sign_in_failed')) await this.limits.signIn(request.ip);
      throw error;
    }
  }

  @Get('v1/sign-in/callback')
  @Needs('nothing')
  async callback(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.answer(reply, async () => {
      await this.limits.signIn(request.ip);
      const query = new URLSearchParams(request.url.split('?', 2)[1] ?? '');
      return confirmPage(await this.signIns.identify(query));
    });
  }

  @Post('v1/sign-in/callback/confirm')
  @HttpCode(200)
  @Needs('nothing')
  async confirm(
    @Body({ schema: Confirmation }) { id, confirmation }: Confirmation,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.answer(reply, async () => {
      await this.signIns.confirm(id, confirmation);
      return messagePage('signed in', 'You are signed in. Go back to your terminal.');
    });
  }

  private async answer(reply: FastifyReply, make: () => Promise<string>): Promise<void> {
    let status = 200;
    let html: string;
    try {
      html = await make();
    } catch (error) {
      if (!isAishError(error, 'sign_in_failed', 'sign_in_off', 'too_many')) throw error;
      status = error.status;
      html = messagePage('the sign-in failed', error.message);
    }
    await reply.status(status).headers(PAGE_HEADERS).send(html);
  }
}

function confirmPage(input: {
  readonly id: string;
  readonly code: string;
  name: string;
  confirmation: string;
}): string {
  const { id, code, name, confirmation } = input;
  return page(
    'sign in',
    `<p>You are <b>${escapeHtml(name)}</b>. A terminal wants to act in your name.</p>
<p>Does it show this code? If not, someone else sent you here. Close this page.</p>
<pre>${escapeHtml(code)}</pre>
<form method="post" action="callback/confirm">
<input type="hidden" name="id" value="${escapeHtml(id)}"><input type="hidden" name="confirmation" value="${escapeHtml(confirmation)}">
<button>Yes, sign it in</button></form>`,
  );
}
