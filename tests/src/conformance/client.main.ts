import { VERSION } from '@aish/contracts/health';
import type { McpHttpServer, McpOAuth } from '@aish/contracts/mcp-config';
import type { ElicitationAnswer } from '@aish/contracts/tools';
import { BrowserAuthorization, McpRegistry, authorizationOf, type OAuthStore } from '@aish/mcp';

// This is the client for the official conformance suite. It uses aish's own sessions in every scenario: it connects,
// lists the tools and calls each of them. It authorizes aish on a page, as a person's browser would.
const url = process.argv.at(-1) ?? '';
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as {
  client_id?: string;
  client_secret?: string;
  /** The calls that the scenario prescribes, if any. */
  toolCalls?: { name: string; arguments: Record<string, unknown> }[];
};
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const CALLBACK = 'http://127.0.0.1:7717/v1/mcp/oauth/callback';
const ROUNDS = 3;

const server: McpHttpServer = {
  alias: 'suite',
  kind: 'http',
  url,
  transport: 'auto',
  headers: {},
  bearerToken: null,
  oauth: oauthOf(),
  allowedAddresses: 'any',
  protocol: 'auto',
  trusted: false,
  autoApprove: false,
  connectTimeoutMs: 5_000,
  callTimeoutMs: 10_000,
};
const records = new Map<string, string>();
const store: OAuthStore = {
  read: (alias, at) => Promise.resolve(records.get(`${alias} ${at}`) ?? null),
  write: (alias, at, text) => Promise.resolve(void records.set(`${alias} ${at}`, text)),
};
const provider = authorizationOf(server, store, CALLBACK);
const registry = new McpRegistry({
  configured: [server],
  store: null,
  programs: null,
  version: VERSION,
  log: (alias, text) => console.error(`${alias}: ${text}`),
  oauth: () =>
    provider === null
      ? null
      : { provider, authorizeUrl: () => (provider instanceof BrowserAuthorization ? provider.authorizeUrl : null) },
});
try {
  await registry.start();
  await useAll();
} finally {
  await registry.close();
}

function oauthOf(): McpOAuth | null {
  const { client_id: clientId = null, client_secret: clientSecret = null } = context;
  if (scenario === 'auth/client-credentials-basic' && clientId !== null && clientSecret !== null) {
    return { grant: 'client_credentials', clientId, clientSecret, scope: null, issuer: null };
  }
  return scenario.startsWith('auth/') ? { grant: 'authorization_code', clientId, clientSecret, scope: null } : null;
}

/** Connects, authorizes aish as often as a person would, and calls every tool. */
async function useAll(): Promise<void> {
  const link = registry.server('suite');
  for (let n = 0; n < ROUNDS && !link.isConnected; n += 1) {
    await link.settled(10_000);
    if (!(await authorize())) break;
  }
  const tools = await registry.listed();
  const [first] = tools;
  const calls =
    context.toolCalls ??
    tools.map(({ spec, tool }) => ({
      name: tool.name,
      arguments: argumentsFor(spec.inputSchema, first?.spec.inputSchema),
    }));
  for (const { name, arguments: args } of calls) {
    const spec = tools.find(({ tool }) => tool.name === name)?.spec;
    if (spec !== undefined) await callOne(spec.name, args);
  }
}

async function callOne(name: string, args: Record<string, unknown>): Promise<void> {
  for (let n = 0; n < ROUNDS; n += 1) {
    try {
      const result = await registry.call(
        { id: '1', name, arguments: JSON.stringify(args) },
        { sessionId: 'suite', owner: 'suite', goalId: null },
        AbortSignal.timeout(20_000),
        { elicit: () => Promise.resolve<ElicitationAnswer>({ action: 'accept', content: {} }) },
      );
      console.error(`${name}: ${result.text.slice(0, 200)}`);
      return;
    } catch (error) {
      console.error(`${name}: ${String(error)}`);
      // A tool that needs more access sends the person back to the page.
      if (!(await authorize())) return;
    }
  }
}

/** Visits the page that authorizes aish, if there is one. */
async function authorize(): Promise<boolean> {
  if (!(provider instanceof BrowserAuthorization) || provider.authorizeUrl === null) return false;
  const page = await fetch(provider.authorizeUrl, { redirect: 'manual' });
  const back = new URL(page.headers.get('location') ?? '', CALLBACK).searchParams;
  await provider.finish({
    state: back.get('state') ?? '',
    ...(back.has('code') ? { code: back.get('code') ?? '' } : {}),
    ...(back.has('error') ? { error: back.get('error') ?? '' } : {}),
    ...(back.has('iss') ? { iss: back.get('iss') ?? '' } : {}),
  });
  const link = registry.server('suite');
  link.retry();
  await new Promise((resolve) => setTimeout(resolve, 50));
  await link.settled(10_000);
  return true;
}

/** Returns valid arguments. An argument `schema` is the listed schema, because the suite checks that it is complete. */
function argumentsFor(
  schema: Readonly<Record<string, unknown>>,
  listed: Readonly<Record<string, unknown>> | undefined,
): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string; enum?: unknown[] }> };
  const values: Record<string, unknown> = {
    string: 'text',
    number: 5,
    integer: 5,
    boolean: true,
    array: [],
    object: {},
  };
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      name === 'schema' ? listed : (property.enum?.[0] ?? values[property.type ?? ''] ?? 'text'),
    ]),
  );
}
