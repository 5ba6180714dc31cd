import { ToolGrantList } from '@aish/contracts/chat';
import { ToolSpec } from '@aish/contracts/tools';
import { z } from 'zod';
import type { Transport } from './transport.js';

const ToolSpecList = z.object({ items: z.array(ToolSpec) });
type ToolSpecList = z.infer<typeof ToolSpecList>;

const at = (reference: string, what: string): string => `/v1/sessions/${encodeURIComponent(reference)}/${what}`;

export function listSessionTools(http: Transport, reference: string, signal?: AbortSignal): Promise<ToolSpecList> {
  return http.json(ToolSpecList, { path: at(reference, 'tools') }, signal);
}

/** The tools that are called without a question in this session. */
export function listToolGrants(http: Transport, reference: string, signal?: AbortSignal): Promise<ToolGrantList> {
  return http.json(ToolGrantList, { path: at(reference, 'grants') }, signal);
}

/** @param tool One tool, as `alias.name`, or `alias.*` for all of a server. */
export function grantTool(
  http: Transport,
  reference: string,
  tool: string,
  signal?: AbortSignal,
): Promise<ToolGrantList> {
  return http.json(ToolGrantList, { method: 'PUT', path: at(reference, 'grants'), body: { tool } }, signal);
}

export function revokeTool(
  http: Transport,
  reference: string,
  tool: string,
  signal?: AbortSignal,
): Promise<ToolGrantList> {
  return http.json(ToolGrantList, { method: 'POST', path: at(reference, 'grants/revoke'), body: { tool } }, signal);
}

/** A large result or an attachment of a tool, by the handle that the model was given. */
export function toolResult(
  http: Transport,
  reference: string,
  handle: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  return http.bytes({ path: at(reference, `results/${encodeURIComponent(handle)}`) }, signal);
}
