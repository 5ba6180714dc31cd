import {
  McpContentList,
  McpPromptList,
  McpPromptMessages,
  McpResourceList,
  McpServerList,
  McpServerStatus,
  McpToolDetail,
  McpToolList,
  type AddMcpProgram,
  type ConnectMcpServer,
  type GetMcpPrompt,
  type ReadMcpResource,
} from '@aish/contracts/mcp';
import { ToolResult } from '@aish/contracts/tools';
import type { z } from 'zod';
import type { Transport } from './transport.js';

export function listMcpServers(transport: Transport, signal?: AbortSignal): Promise<McpServerList> {
  return transport.json(McpServerList, { path: '/v1/mcp/servers' }, signal);
}

export function connectMcpServer(
  transport: Transport,
  body: z.input<typeof ConnectMcpServer>,
  signal?: AbortSignal,
): Promise<McpServerStatus> {
  return transport.json(McpServerStatus, { method: 'POST', path: '/v1/mcp/servers', body }, signal);
}

export function addMcpProgram(
  transport: Transport,
  body: z.input<typeof AddMcpProgram>,
  signal?: AbortSignal,
): Promise<McpServerStatus> {
  return transport.json(McpServerStatus, { method: 'POST', path: '/v1/mcp/programs', body }, signal);
}

export function disconnectMcpServer(
  transport: Transport,
  alias: string,
  signal?: AbortSignal,
): Promise<McpServerStatus> {
  const path = `/v1/mcp/servers/${encodeURIComponent(alias)}`;
  return transport.json(McpServerStatus, { method: 'DELETE', path }, signal);
}

export function listMcpTools(transport: Transport, signal?: AbortSignal): Promise<McpToolList> {
  return transport.json(McpToolList, { path: '/v1/mcp/tools' }, signal);
}

/** @param label `alias.tool`, or the name that models use */
export function showMcpTool(transport: Transport, label: string, signal?: AbortSignal): Promise<McpToolDetail> {
  return transport.json(McpToolDetail, { path: `/v1/mcp/tools/${encodeURIComponent(label)}` }, signal);
}

export function callMcpTool(
  transport: Transport,
  label: string,
  body: { readonly arguments: Readonly<Record<string, unknown>>; readonly confirmed: boolean },
  signal?: AbortSignal,
): Promise<ToolResult> {
  const path = `/v1/mcp/tools/${encodeURIComponent(label)}/call`;
  return transport.json(ToolResult, { method: 'POST', path, body }, signal);
}

export function listMcpResources(transport: Transport, signal?: AbortSignal): Promise<McpResourceList> {
  return transport.json(McpResourceList, { path: '/v1/mcp/resources' }, signal);
}

export function readMcpResource(
  transport: Transport,
  query: ReadMcpResource,
  signal?: AbortSignal,
): Promise<McpContentList> {
  const params = new URLSearchParams(query);
  return transport.json(McpContentList, { path: `/v1/mcp/resources/content?${params.toString()}` }, signal);
}

export function listMcpPrompts(transport: Transport, signal?: AbortSignal): Promise<McpPromptList> {
  return transport.json(McpPromptList, { path: '/v1/mcp/prompts' }, signal);
}

export function getMcpPrompt(
  transport: Transport,
  body: GetMcpPrompt,
  signal?: AbortSignal,
): Promise<McpPromptMessages> {
  return transport.json(McpPromptMessages, { method: 'POST', path: '/v1/mcp/prompts/get', body }, signal);
}
