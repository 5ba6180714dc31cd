import { endpoint } from '../endpoint.js';
import { MCP, RUN } from '../endpoint-problems.js';
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
    summary: 'List MCP servers and their connections',
    answer: McpServerList,
  }),
  connect: endpoint('POST /v1/mcp/servers', {
    scope: 'operate',
    summary: 'Connect a server, for a day or permanently',
    body: ConnectMcpServer,
    answer: McpServerStatus,
    status: 201,
    problems: ['mcp_alias_taken', 'mcp_configured', ...MCP],
  }),
  addProgram: endpoint('POST /v1/mcp/programs', {
    scope: 'admin',
    summary: 'Add an MCP server that runs as a program (stdio), with the access of a space',
    body: AddMcpProgram,
    answer: McpServerStatus,
    status: 201,
    problems: ['mcp_alias_taken', 'mcp_configured', ...MCP],
  }),
  disconnect: endpoint('DELETE /v1/mcp/servers/:alias', {
    scope: 'operate',
    summary: 'Disconnect and remove a server that was connected at run time',
    params: { alias: McpAlias },
    answer: McpServerStatus,
    problems: ['mcp_configured'],
  }),
  tools: endpoint('GET /v1/mcp/tools', {
    scope: 'observe',
    summary: 'List the tools of all servers',
    answer: McpToolList,
    problems: MCP,
  }),
  tool: endpoint('GET /v1/mcp/tools/:label', {
    scope: 'observe',
    summary: 'Show a tool and its schema, by alias.tool',
    params: { label: ToolLabel },
    answer: McpToolDetail,
    problems: MCP,
  }),
  call: endpoint('POST /v1/mcp/tools/:label/call', {
    scope: 'operate',
    summary: 'Call a tool; a call that the safety rules stop needs `confirmed` and scope `decide`',
    params: { label: ToolLabel },
    body: CallMcpTool,
    answer: ToolResult,
    problems: [...MCP, ...RUN],
  }),
  resources: endpoint('GET /v1/mcp/resources', {
    scope: 'observe',
    summary: 'List the resources of all servers',
    answer: McpResourceList,
    problems: MCP,
  }),
  read: endpoint('GET /v1/mcp/resources/content', {
    scope: 'operate',
    summary: 'Read a resource',
    query: ReadMcpResource,
    answer: McpContentList,
    problems: MCP,
  }),
  prompts: endpoint('GET /v1/mcp/prompts', {
    scope: 'observe',
    summary: 'List the prompts of all servers',
    answer: McpPromptList,
    problems: MCP,
  }),
  prompt: endpoint('POST /v1/mcp/prompts/get', {
    scope: 'operate',
    summary: 'Show a prompt with its arguments filled in',
    body: GetMcpPrompt,
    answer: McpPromptMessages,
    problems: MCP,
  }),
};
