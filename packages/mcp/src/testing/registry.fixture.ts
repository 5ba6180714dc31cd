import type { McpHttpServer } from '@aish/contracts/mcp-config';
import type { ToolCallOptions, ToolResult } from '@aish/contracts/tools';
import { McpRegistry, type RegistryParts } from '../registry.js';

export const CONTEXT = { sessionId: 'session', owner: 'ada', goalId: null };
export const NEVER: globalThis.AbortSignal = new AbortController().signal;

export function httpServer(alias: string, url: string, more: Partial<McpHttpServer> = {}): McpHttpServer {
  return {
    alias,
    kind: 'http',
    url,
    transport: 'auto',
    headers: {},
    bearerToken: null,
    oauth: null,
    allowedAddresses: 'any',
    protocol: 'auto',
    trusted: false,
    autoApprove: false,
    connectTimeoutMs: 3_000,
    callTimeoutMs: 3_000,
    ...more,
  };
}

/** Makes a registry that retries soon. */
export function registryOf(configured: readonly McpHttpServer[], more: Partial<RegistryParts> = {}): McpRegistry {
  return new McpRegistry({
    configured,
    store: null,
    programs: null,
    version: '0.1.0',
    log: () => undefined,
    oauth: null,
    retryMinMs: 50,
    retryMaxMs: 200,
    pingEveryMs: 200,
    ...more,
  });
}

export function callOf(
  registry: McpRegistry,
  name: string,
  args: unknown = {},
  options: ToolCallOptions = {},
  signal: AbortSignal = NEVER,
): Promise<ToolResult> {
  return registry.call({ id: '1', name, arguments: JSON.stringify(args) }, CONTEXT, signal, options);
}

/** Waits until the check succeeds. */
export async function eventually(check: () => boolean | Promise<boolean>, withinMs = 10_000): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await check())) {
    if (performance.now() > end) throw new Error(`not so within ${withinMs} ms: ${check.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
