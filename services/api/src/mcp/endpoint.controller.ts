import { All, Controller, Req, Res, type OnModuleDestroy } from '@nestjs/common';
import { allows, type Scope } from '@aish/contracts/tokens';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { McpEndpoint, type Offers } from '@aish/mcp';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '@aish/http';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { reachOf } from '../memory/caller.js';

const MAX_BODY_BYTES = 256 * 1024;

/** aish as an MCP server: what its token allows, and nothing else. */
export class McpServing implements OnModuleDestroy {
  private readonly endpoint: McpEndpoint;

  constructor(offers: Offers, hosts: readonly string[], logger: Logger) {
    const onError = (err: unknown): void => logger.warn({ err }, 'serving MCP');
    this.endpoint = McpEndpoint.of(offers, { hosts, onError, maxBodyBytes: MAX_BODY_BYTES });
  }

  async answer(request: FastifyRequest, reply: FastifyReply, token: ApiTokenRow): Promise<void> {
    reply.hijack();
    const mayUse = ({ needs }: { readonly needs: string | readonly string[] }) =>
      [needs].flat().some((scope) => allows(token.scopes, scope as Scope));
    const caller = { name: token.name, memory: reachOf(token), mayUse };
    await this.endpoint.handle(request.raw, reply.raw, caller, request.body ?? undefined);
  }

  onModuleDestroy(): Promise<void> {
    return this.endpoint.close();
  }
}

@Controller('mcp')
export class EndpointController {
  constructor(private readonly serving: McpServing) {}

  @All()
  @Needs('any token')
  serve(@CurrentToken() token: ApiTokenRow, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.serving.answer(request, reply, token);
  }
}
