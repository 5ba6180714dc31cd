import * as z from 'zod';
import { AishError } from './problems.js';
import { SpaceName } from './space-name.js';

/** What people call a server. No underscores side by side and none at the ends: `alias__tool` has one reading. */
export const McpAlias = z
  .string()
  .max(32)
  .regex(/^[a-z0-9]+([_-][a-z0-9]+)*$/, 'lower-case letters and digits, with single - or _ between them')
  .meta({ id: 'McpAlias' });
export type McpAlias = z.infer<typeof McpAlias>;

/** `auto` finds out; the others are spoken or nothing is: the family up to 2025-11-25, or the stateless 2026-07-28. */
export const McpProtocol = z.enum(['auto', '2025', '2026-07-28']);
export type McpProtocol = z.infer<typeof McpProtocol>;

const milliseconds = z.int().min(1).max(86_400_000);
export const McpHeaderName = z.string().regex(/^[A-Za-z0-9-]{1,64}$/);
// Line breaks would end the header and begin another.
export const McpHeaderValue = z.string().regex(/^[^\r\n\0]{0,8192}$/);
export const McpCommand = z.array(z.string().min(1).max(4_096)).min(1).max(64);
export const McpImage = z.string().min(1).max(255);
export const McpUrl = z.url({ protocol: /^https?$/ });

const common = {
  protocol: McpProtocol.default('auto'),
  /** Whether what its author says of its tools (`readOnlyHint` and so on) may be believed. */
  trusted: z.boolean().default(false),
  /** Tools that run without asking: true for all of them, or their names. The safety gate has the last word. */
  auto_approve: z.union([z.boolean(), z.array(z.string().min(1).max(256)).max(1_000)]).default(false),
  connect_timeout_ms: milliseconds.default(10_000),
  /** Longest silence of a call; its progress and the time that a person takes to answer do not count. */
  call_timeout_ms: milliseconds.default(60_000),
};

const clientCredentials = z.strictObject({
  grant: z.literal('client_credentials'),
  client_id: z.string().min(1),
  client_secret_file: z.string().min(1),
  scope: z.string().optional(),
  issuer: z.url().optional(),
});
const authorizationCode = z.strictObject({
  grant: z.literal('authorization_code'),
  /** Without it aish registers itself with the authorization server. */
  client_id: z.string().min(1).optional(),
  client_secret_file: z.string().min(1).optional(),
  scope: z.string().optional(),
});

/** A server behind a URL. Secrets stand in files, so that the configuration can be shown. */
const HttpEntry = z.strictObject({
  ...common,
  url: McpUrl,
  transport: z.enum(['auto', 'streamable', 'sse']).default('auto'),
  headers: z.record(McpHeaderName, McpHeaderValue).default({}),
  /** Header -> file that holds its value. */
  header_files: z.record(McpHeaderName, z.string().min(1)).default({}),
  bearer_token_file: z.string().min(1).optional(),
  oauth: z.discriminatedUnion('grant', [clientCredentials, authorizationCode]).optional(),
});

/** A server that speaks over stdin and stdout, run in a container by the sandbox service. */
const StdioEntry = z.strictObject({
  ...common,
  command: McpCommand,
  /** The image that has the command; the sandbox's own when absent. */
  image: McpImage.optional(),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().max(8_192)).default({}),
  /** Variable -> file that holds its value. */
  env_files: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().min(1)).default({}),
  /** The space that says what it reaches; without, it reaches nothing. */
  space: SpaceName.optional(),
});

export const McpServersFile = z.record(McpAlias, z.union([StdioEntry, HttpEntry]));
export type McpServersFile = z.infer<typeof McpServersFile>;

export type McpOAuth =
  | {
      readonly grant: 'client_credentials';
      readonly clientId: string;
      readonly clientSecret: string;
      readonly scope: string | null;
      readonly issuer: string | null;
    }
  | {
      readonly grant: 'authorization_code';
      readonly clientId: string | null;
      readonly clientSecret: string | null;
      readonly scope: string | null;
    };

interface McpCommon {
  readonly alias: string;
  readonly protocol: McpProtocol;
  readonly trusted: boolean;
  readonly autoApprove: boolean | readonly string[];
  readonly connectTimeoutMs: number;
  readonly callTimeoutMs: number;
}

export interface McpHttpServer extends McpCommon {
  readonly kind: 'http';
  readonly url: string;
  readonly transport: 'auto' | 'streamable' | 'sse';
  readonly headers: Readonly<Record<string, string>>;
  readonly bearerToken: string | null;
  readonly oauth: McpOAuth | null;
  /**
   * Where its connections may lead. `any`: the author of the configuration decided. `private`: an admin connected it,
   * so it may also reach private addresses, and this machine if the URL names it. `public`: only public internet
   * addresses.
   */
  readonly reach: 'any' | 'private' | 'public';
}

export interface McpStdioServer extends McpCommon {
  readonly kind: 'stdio';
  readonly command: readonly string[];
  readonly image: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly space: string | null;
}

/** A server with its secrets read: never logged, never sent to a client. */
export type McpServer = McpHttpServer | McpStdioServer;

/**
 * The servers of setting MCP_SERVERS, sorted by alias, their secrets read from their files.
 * @throws AishError `invalid_config`, everything wrong said at once; values are never repeated.
 */
export function parseMcpServers(text: string | undefined, readFile: (path: string) => string): readonly McpServer[] {
  if (text === undefined || text.trim() === '') return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AishError('invalid_config', 'The configuration is not valid:\n  MCP_SERVERS: is not JSON');
  }
  const parsed = McpServersFile.safeParse(value);
  const faults = parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${faultOf(issue)}`);
  const secret = (where: string, path: string): string => {
    try {
      return readFile(path).replace(/\r?\n$/, '');
    } catch {
      faults.push(`${where}: cannot read ${path}`);
      return '';
    }
  };
  const servers = Object.entries(parsed.data ?? {}).map(([alias, entry]) => serverOf(alias, entry, secret));
  if (faults.length > 0) {
    const lines = faults.map((fault) => `\n  MCP_SERVERS.${fault}`).join('');
    throw new AishError('invalid_config', `The configuration is not valid:${lines}`);
  }
  return servers.toSorted((a, b) => (a.alias < b.alias ? -1 : 1));
}

/** The arms of the union say more than the union does. */
function faultOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_union') return issue.message;
  const inner = issue.errors.map((arm) => arm.map(({ path, message }) => `${path.join('.')} ${message}`).join(', '));
  return `neither a command nor a url: ${inner.join('; or: ')}`;
}

function serverOf(
  alias: string,
  entry: McpServersFile[string],
  secret: (where: string, path: string) => string,
): McpServer {
  const shared = {
    alias,
    protocol: entry.protocol,
    trusted: entry.trusted,
    autoApprove: entry.auto_approve,
    connectTimeoutMs: entry.connect_timeout_ms,
    callTimeoutMs: entry.call_timeout_ms,
  };
  const secrets = (field: string, files: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(files).map(([name, path]) => [name, secret(`${alias}.${field}.${name}`, path)]));
  if ('command' in entry) {
    const { command, image = null, space = null } = entry;
    const env = { ...entry.env, ...secrets('env_files', entry.env_files) };
    return { ...shared, kind: 'stdio', command, image, env, space };
  }
  const { bearer_token_file: tokenFile } = entry;
  return {
    ...shared,
    kind: 'http',
    url: entry.url,
    transport: entry.transport,
    headers: { ...entry.headers, ...secrets('header_files', entry.header_files) },
    bearerToken: tokenFile === undefined ? null : secret(`${alias}.bearer_token_file`, tokenFile),
    oauth: oauthOf(entry.oauth, (path) => secret(`${alias}.oauth.client_secret_file`, path)),
    reach: 'any',
  };
}

function oauthOf(
  oauth: z.infer<typeof clientCredentials> | z.infer<typeof authorizationCode> | undefined,
  secret: (path: string) => string,
): McpOAuth | null {
  if (oauth === undefined) return null;
  const scope = oauth.scope ?? null;
  if (oauth.grant === 'client_credentials') {
    const { grant, client_id: clientId, issuer = null } = oauth;
    return { grant, clientId, clientSecret: secret(oauth.client_secret_file), scope, issuer };
  }
  const { grant, client_id: clientId = null, client_secret_file: file } = oauth;
  return { grant, clientId, clientSecret: file === undefined ? null : secret(file), scope };
}
