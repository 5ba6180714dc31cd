import { endpoint } from '../endpoint.js';
import { McpAlias } from '../mcp-config.js';
import {
  AddMcpProgram,
  CallMcpTool,
  ConnectMcpServer,
  GetMcpPrompt,
  McpContentList,
  McpPromptList,
  McpPromptMessages,
  McpResourceList,
  McpServerList,
  McpServerStatus,
  McpToolDetail,
  McpToolList,
  ReadMcpResource,
} from '../mcp.js';
import { ToolResult } from '../tools.js';
import * as z from 'zod';

const ToolLabel = z.string().min(1).max(256);

export const mcpApi = {
  servers: endpoint('GET /v1/mcp/servers', {
    scope: 'observe',
    summary: 'The MCP servers, and how each is connected',
    answer: McpServerList,
  }),
  connect: endpoint('POST /v1/mcp/servers', {
    scope: 'operate',
    summary: 'Connect a server, for a day or for good',
    body: ConnectMcpServer,
    answer: McpServerStatus,
    status: 201,
  }),
  addProgram: endpoint('POST /v1/mcp/programs', {
    scope: 'admin',
    summary: 'Keep a program that is a server over stdin and stdout, with what a space reaches',
    body: AddMcpProgram,
    answer: McpServerStatus,
    status: 201,
  }),
  disconnect: endpoint('DELETE /v1/mcp/servers/:alias', {
    scope: 'operate',
    summary: 'Disconnect a server that was connected at run time, and forget it',
    params: { alias: McpAlias },
    answer: McpServerStatus,
  }),
  tools: endpoint('GET /v1/mcp/tools', {
    scope: 'observe',
    summary: 'The tools of all servers',
    answer: McpToolList,
  }),
  tool: endpoint('GET /v1/mcp/tools/:label', {
    scope: 'observe',
    summary: 'One tool with its schema, by alias.tool',
    params: { label: ToolLabel },
    answer: McpToolDetail,
  }),
  call: endpoint('POST /v1/mcp/tools/:label/call', {
    scope: 'operate',
    summary: 'Call a tool; what the safety gate stops needs confirmed and scope decide',
    params: { label: ToolLabel },
    body: CallMcpTool,
    answer: ToolResult,
  }),
  resources: endpoint('GET /v1/mcp/resources', {
    scope: 'observe',
    summary: 'The resources of all servers',
    answer: McpResourceList,
  }),
  read: endpoint('GET /v1/mcp/resources/content', {
    scope: 'operate',
    summary: 'What is in a resource',
    query: ReadMcpResource,
    answer: McpContentList,
  }),
  prompts: endpoint('GET /v1/mcp/prompts', {
    scope: 'observe',
    summary: 'The prompts of all servers',
    answer: McpPromptList,
  }),
  prompt: endpoint('POST /v1/mcp/prompts/get', {
    scope: 'operate',
    summary: 'A prompt with its arguments filled in',
    body: GetMcpPrompt,
    answer: McpPromptMessages,
  }),
};
