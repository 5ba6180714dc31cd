import * as z from 'zod';
import { AishError } from './problems.js';
import { SpaceName } from './space-name.js';

/**
 * The name that people use for a server. It contains no double underscore and neither begins nor ends with an
 * underscore, so that `alias__tool` is unambiguous.
 */
export const McpAlias = z
  .string()
  .max(32)
  .regex(/^[a-z0-9]+([_-][a-z0-9]+)*$/, 'must be lowercase letters and digits, separated by single - or _')
  .meta({ id: 'McpAlias' });
export type McpAlias = z.infer<typeof McpAlias>;

/**
 * `auto` detects the protocol. The other values require one: the family up to 2025-11-25, or the stateless 2026-07-28.
 */
export const McpProtocol = z.enum(['auto', '2025', '2026-07-28']);
export type McpProtocol = z.infer<typeof McpProtocol>;

const milliseconds = z.int().min(1).max(86_400_000);
export const McpHeaderName = z.string().regex(/^[A-Za-z0-9-]{1,64}$/);
// A line break would start another header.
export const McpHeaderValue = z.string().regex(/^[^\r\n\0]{0,8192}$/);
export const McpCommand = z.array(z.string().min(1).max(4_096)).min(1).max(64);
export const McpImage = z.string().min(1).max(255);
export const McpUrl = z.url({ protocol: /^https?$/ });

const common = {
  protocol: McpProtocol.default('auto'),
  /** Whether aish believes the server's tool annotations (`readOnlyHint` and so on). */
  trusted: z.boolean().default(false),
  /** Tools that run without a question: true for all tools, or a list of names. The safety gate can still stop them. */
  auto_approve: z.union([z.boolean(), z.array(z.string().min(1).max(256)).max(1_000)]).default(false),
  connect_timeout_ms: milliseconds.default(10_000),
  /**
   * The longest time that a call may be silent, in milliseconds. Progress restarts it, and time that a person takes to
   * answer does not count.
   */
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
  /** The OAuth client ID. If it is absent, aish registers itself with the authorization server. */
  client_id: z.string().min(1).optional(),
  client_secret_file: z.string().min(1).optional(),
  scope: z.string().optional(),
});

/** A server behind a URL. Secrets are in files, so that the configuration can be shown. */
const HttpEntry = z.strictObject({
  ...common,
  url: McpUrl,
  transport: z.enum(['auto', 'streamable', 'sse']).default('auto'),
  headers: z.record(McpHeaderName, McpHeaderValue).default({}),
  /** Maps the name of a header to the file that contains its value. */
  header_files: z.record(McpHeaderName, z.string().min(1)).default({}),
  bearer_token_file: z.string().min(1).optional(),
  oauth: z.discriminatedUnion('grant', [clientCredentials, authorizationCode]).optional(),
});

/** A server that communicates over stdin and stdout. The sandbox service runs it in a container. */
const StdioEntry = z.strictObject({
  ...common,
  command: McpCommand,
  /** The image that contains the command. Default: the sandbox's own. */
  image: McpImage.optional(),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().max(8_192)).default({}),
  /** Maps the name of a variable to the file that contains its value. */
  env_files: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().min(1)).default({}),
  /** The space whose access the server has. If it is absent, the server has no access. */
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
   * Where the server's connections may go. `any`: no restriction, because the author of the configuration chose the
   * server. `private`: an admin connected it, so it may also reach private addresses, and this machine if the URL names
   * it. `public`: only public internet addresses.
   */
  readonly allowedAddresses: 'any' | 'private' | 'public';
}

export interface McpStdioServer extends McpCommon {
  readonly kind: 'stdio';
  readonly command: readonly string[];
  readonly image: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly space: string | null;
}

/** A server with its secrets. Never log it or send it to a client. */
export type McpServer = McpHttpServer | McpStdioServer;

/**
 * The servers of the setting MCP_SERVERS, sorted by alias, with secrets read from their files.
 *
 * @throws AishError `invalid_config` with all errors at once. It never repeats values.
 */
export function parseMcpServers(text: string | undefined, readFile: (path: string) => string): readonly McpServer[] {
  if (text === undefined || text.trim() === '') return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AishError('invalid_config', 'The configuration is not valid:\n  MCP_SERVERS: must be JSON');
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

/** Describes an issue of a setting. The errors of a union's members are more specific than that of the union. */
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
    allowedAddresses: 'any',
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
