import { mcpApi } from '@aish/contracts/endpoints/mcp';
import { Serve, type Call } from '../http/serve.js';
import { Controller, Get, Query, Res } from '@nestjs/common';
import { McpOAuthCallback } from '@aish/contracts/mcp';
import { isAishError } from '@aish/contracts/problems';
import type { FastifyReply } from 'fastify';
import { Needs } from '../http/needs.decorator.js';
import { McpService } from './mcp.service.js';

@Controller()
export class McpController {
  constructor(private readonly mcp: McpService) {}

  @Serve(mcpApi.servers)
  servers({ token }: Call<typeof mcpApi.servers>) {
    return this.mcp.list(token.name);
  }

  @Serve(mcpApi.connect)
  connect({ token, body: request }: Call<typeof mcpApi.connect>) {
    return this.mcp.connect(token, request);
  }

  @Serve(mcpApi.addProgram)
  addProgram({ token, body: program }: Call<typeof mcpApi.addProgram>) {
    return this.mcp.addProgram(token, program);
  }

  @Serve(mcpApi.disconnect)
  disconnect({ token, params: { alias } }: Call<typeof mcpApi.disconnect>) {
    return this.mcp.disconnect(token.name, alias);
  }

  @Serve(mcpApi.tools)
  tools() {
    return this.mcp.tools();
  }

  @Serve(mcpApi.tool)
  tool({ params: { label } }: Call<typeof mcpApi.tool>) {
    return this.mcp.tool(label);
  }

  @Serve(mcpApi.call)
  async call({ token, params: { label }, body: request, reply: { raw } }: Call<typeof mcpApi.call>) {
    const left = new AbortController();
    // The tool is cancelled if its client disconnects.
    raw.once('close', () => left.abort());
    return this.mcp.call(token, label, request, left.signal);
  }

  @Serve(mcpApi.resources)
  resources() {
    return this.mcp.resources();
  }

  @Serve(mcpApi.read)
  read({ token, query: request }: Call<typeof mcpApi.read>) {
    return this.mcp.read(token, request);
  }

  @Serve(mcpApi.prompts)
  prompts() {
    return this.mcp.prompts();
  }

  @Serve(mcpApi.prompt)
  prompt({ token, body: request }: Call<typeof mcpApi.prompt>) {
    return this.mcp.prompt(token, request);
  }

  /**
   * An authorization server sends the browser here. The request has no token, but it has a state that only its own flow
   * knows.
   */
  @Get('v1/mcp/oauth/callback')
  @Needs('nothing')
  async callback(
    @Query({ schema: McpOAuthCallback }) query: McpOAuthCallback,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    void reply
      .type('text/plain; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('referrer-policy', 'no-referrer');
    try {
      return `aish can now use the MCP server ${await this.mcp.finishOAuth(query)}. You can close this page.\n`;
    } catch (error) {
      if (!isAishError(error)) throw error;
      void reply.status(error.status);
      return `${error.message}\n`;
    }
  }
}
