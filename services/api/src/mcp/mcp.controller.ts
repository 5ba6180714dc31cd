import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiCreatedResponse,
  ApiExcludeEndpoint,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import {
  AddMcpProgram,
  CallMcpTool,
  ConnectMcpServer,
  GetMcpPrompt,
  McpContentList,
  McpOAuthCallback,
  McpPromptList,
  McpPromptMessages,
  McpResourceList,
  McpServerList,
  McpServerStatus,
  McpToolDetail,
  McpToolList,
  ReadMcpResource,
} from '@aish/contracts/mcp';
import { McpAlias } from '@aish/contracts/mcp-config';
import { isAishError } from '@aish/contracts/problems';
import { ToolResult } from '@aish/contracts/tools';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { McpService } from './mcp.service.js';

const ToolLabel = z.string().min(1).max(256);

@ApiTags('mcp')
@ApiBearerAuth()
@Controller('v1/mcp')
export class McpController {
  constructor(private readonly mcp: McpService) {}

  @Get('servers')
  @Needs('observe')
  @ApiOperation({ summary: 'The MCP servers, and how each is connected' })
  @ApiOkResponse({ standardSchema: McpServerList })
  servers(@CurrentToken() token: ApiTokenRow): Promise<McpServerList> {
    return this.mcp.list(token.name);
  }

  @Post('servers')
  @Needs('operate')
  @ApiOperation({ summary: 'Connect a server, for a day or for good' })
  @ApiCreatedResponse({ standardSchema: McpServerStatus })
  connect(
    @CurrentToken() token: ApiTokenRow,
    @Body({ schema: ConnectMcpServer }) request: ConnectMcpServer,
  ): Promise<McpServerStatus> {
    return this.mcp.connect(token, request);
  }

  @Post('programs')
  @Needs('admin')
  @ApiOperation({ summary: 'Keep a program that is a server over stdin and stdout, with what a space reaches' })
  @ApiCreatedResponse({ standardSchema: McpServerStatus })
  addProgram(
    @CurrentToken() token: ApiTokenRow,
    @Body({ schema: AddMcpProgram }) program: AddMcpProgram,
  ): Promise<McpServerStatus> {
    return this.mcp.addProgram(token, program);
  }

  @Delete('servers/:alias')
  @Needs('operate')
  @ApiOperation({ summary: 'Disconnect a server that was connected at run time, and forget it' })
  @ApiOkResponse({ standardSchema: McpServerStatus })
  disconnect(
    @CurrentToken() token: ApiTokenRow,
    @Param('alias', { schema: McpAlias }) alias: string,
  ): Promise<McpServerStatus> {
    return this.mcp.disconnect(token.name, alias);
  }

  @Get('tools')
  @Needs('observe')
  @ApiOperation({ summary: 'The tools of all servers' })
  @ApiOkResponse({ standardSchema: McpToolList })
  tools(): Promise<McpToolList> {
    return this.mcp.tools();
  }

  @Get('tools/:label')
  @Needs('observe')
  @ApiOperation({ summary: 'One tool with its schema, by alias.tool' })
  @ApiOkResponse({ standardSchema: McpToolDetail })
  tool(@Param('label', { schema: ToolLabel }) label: string): Promise<McpToolDetail> {
    return this.mcp.tool(label);
  }

  @Post('tools/:label/call')
  @HttpCode(200)
  @Needs('operate')
  @ApiOperation({ summary: 'Call a tool; what the safety gate stops needs confirmed and scope decide' })
  @ApiOkResponse({ standardSchema: ToolResult })
  async call(
    @CurrentToken() token: ApiTokenRow,
    @Param('label', { schema: ToolLabel }) label: string,
    @Body({ schema: CallMcpTool }) request: CallMcpTool,
    @Res({ passthrough: true }) { raw }: FastifyReply,
  ): Promise<ToolResult> {
    const left = new AbortController();
    // Whoever hangs up does not wait for the tool.
    raw.once('close', () => left.abort());
    return this.mcp.call(token, label, request, left.signal);
  }

  @Get('resources')
  @Needs('observe')
  @ApiOperation({ summary: 'The resources of all servers' })
  @ApiOkResponse({ standardSchema: McpResourceList })
  resources(): Promise<McpResourceList> {
    return this.mcp.resources();
  }

  @Get('resources/content')
  @Needs('operate')
  @ApiOperation({ summary: 'What is in a resource' })
  @ApiOkResponse({ standardSchema: McpContentList })
  read(
    @CurrentToken() token: ApiTokenRow,
    @Query({ schema: ReadMcpResource }) request: ReadMcpResource,
  ): Promise<McpContentList> {
    return this.mcp.read(token, request);
  }

  @Get('prompts')
  @Needs('observe')
  @ApiOperation({ summary: 'The prompts of all servers' })
  @ApiOkResponse({ standardSchema: McpPromptList })
  prompts(): Promise<McpPromptList> {
    return this.mcp.prompts();
  }

  @Post('prompts/get')
  @HttpCode(200)
  @Needs('operate')
  @ApiOperation({ summary: 'A prompt with its arguments filled in' })
  @ApiOkResponse({ standardSchema: McpPromptMessages })
  prompt(
    @CurrentToken() token: ApiTokenRow,
    @Body({ schema: GetMcpPrompt }) request: GetMcpPrompt,
  ): Promise<McpPromptMessages> {
    return this.mcp.prompt(token, request);
  }

  /** A browser comes here from an authorization server: it has no token, but the state that only its flow knows. */
  @Get('oauth/callback')
  @Needs('nothing')
  @ApiExcludeEndpoint()
  async callback(
    @Query({ schema: McpOAuthCallback }) query: McpOAuthCallback,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    void reply
      .type('text/plain; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('referrer-policy', 'no-referrer');
    try {
      return `aish may use the MCP server ${await this.mcp.finishOAuth(query)} now. You can close this page.\n`;
    } catch (error) {
      if (!isAishError(error)) throw error;
      void reply.status(error.status);
      return `${error.message}\n`;
    }
  }
}
