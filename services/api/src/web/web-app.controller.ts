import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { AishError, isAishError } from '@aish/contracts/problems';
import { WEB_PATH } from '@aish/contracts/web';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Needs } from '../http/needs.decorator.js';
import { PAGE_HEADERS, messagePage } from '../http/page.js';
import { BrowserHosts } from './browser-request.js';
import { WEB_HEADERS, WebApp } from './web-app.js';

/** Serves the page and its files. They contain no secrets, and the page loads its data from the v1 routes. */
@Controller()
export class WebAppController {
  constructor(
    private readonly app: WebApp,
    private readonly hosts: BrowserHosts,
  ) {}

  /** People who open this address in a browser want the page. Programs still get 404. */
  @Get()
  @Needs('nothing')
  async root(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.lead(`${WEB_PATH}/`, request, reply);
  }

  /** People type these short addresses. */
  @Get('goals/:ref')
  @Needs('nothing')
  async goal(@Param('ref') ref: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.lead(screenAt('goals', ref), request, reply);
  }

  @Get('chats/:ref')
  @Needs('nothing')
  async chat(@Param('ref') ref: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.lead(screenAt('chats', ref), request, reply);
  }

  @Get('decisions/:ref')
  @Needs('nothing')
  async decision(@Param('ref') ref: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.lead(screenAt('decisions', ref), request, reply);
  }

  /** The page itself is at `app/`. It loads its parts with relative addresses, so a proxy may put a path before it. */
  @Get('app')
  @Needs('nothing')
  async withoutSlash(@Res() reply: FastifyReply): Promise<void> {
    await reply
      .status(302)
      .headers({ location: `${WEB_PATH}/` })
      .send();
  }

  @Get('app/*')
  @Needs('nothing')
  async file(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const [path = ''] = request.url.split('?', 1);
    await this.send(path.slice(WEB_PATH.length + 2), request, reply);
  }

  private async lead(location: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!(request.headers.accept ?? '').includes('text/html')) {
      throw new AishError('not_found', `Cannot GET ${request.url}`);
    }
    await reply.status(302).headers({ location, 'cache-control': 'no-store', vary: 'accept' }).send();
  }

  private async send(name: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    try {
      this.hosts.require(request);
    } catch (error) {
      if (!isAishError(error, 'host_unknown')) throw error;
      await reply.status(error.status).headers(PAGE_HEADERS).send(messagePage('not here', error.message));
      return;
    }
    const file = this.app.file(name);
    if (file === null)
      throw new AishError('not_found', name === '' ? 'The web page has not been built' : `There is no file ${name}`);
    void reply.headers({
      ...WEB_HEADERS,
      'content-type': file.type,
      etag: file.etag,
      vary: 'accept-encoding',
      'cache-control': file.isLasting ? 'public, max-age=31536000, immutable' : 'no-cache',
    });
    if (request.headers['if-none-match'] === file.etag) {
      await reply.status(304).send();
      return;
    }
    const isPacked = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    if (isPacked) void reply.header('content-encoding', 'gzip');
    await reply.send(isPacked ? file.packed : file.body);
  }
}

function screenAt(screen: string, ref: string): string {
  return `../${WEB_PATH}/#/${screen}/${encodeURIComponent(ref)}`;
}
