import * as z from 'zod';
import { modelSettings, notificationSettings, signInSettings, checkedBy } from './combinations.js';
import { Chats } from './chats.settings.js';
import { Mcp } from './mcp.settings.js';
import { Memory } from './memory.settings.js';
import { Notifications } from './notifications.settings.js';
import { Presets } from './presets.settings.js';
import { SignIns } from './sign-ins.settings.js';
import { Store } from './store.settings.js';
import { Grants, Safety } from './safety.settings.js';
import { logLevel, milliseconds, port } from './setting-types.js';
import { SandboxAccess, Telemetry, Hosts, knowledgeDir } from './shared.settings.js';

const Backups = z.object({
  BACKUP_DIR: z.string().min(1).optional().describe('Folder for automatic backups; unset: no automatic backups'),
  BACKUP_EVERY_HOURS: z.coerce
    .number()
    .min(0.01)
    .max(8_760)
    .default(24)
    .describe('Hours between two automatic backups'),
  BACKUP_KEEP: z.coerce.number().int().min(1).max(1_000).default(7).describe('Number of automatic backups to keep'),
  BACKUP_WORKSPACES: z.enum(['none', 'all']).default('none').describe('Whether automatic backups include workspaces'),
});

/** The proxies in front of the api: addresses, and networks like 172.16.0.0/12. */
/** A name must not match a malformed address. */
const ProxyName = z.string().regex(/^(?!(true|false)$)(?=.*[a-z])[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i);

const ProxyAddresses = z
  .string()
  .default('')
  .transform((text) => text.split(/[\s,]+/).filter((word) => word !== ''))
  .pipe(
    z
      .array(
        z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6(), ProxyName], {
          error: 'must be an address, a network such as 172.16.0.0/12, or a name',
        }),
      )
      .max(64),
  );

export const ApiConfig = z
  .object({
    ...Chats.shape,
    ...Store.shape,
    ...Presets.shape,
    ...Safety.shape,
    ...Grants.shape,
    ...SandboxAccess.shape,
    ...Notifications.shape,
    ...Backups.shape,
    ...SignIns.shape,
    ...Memory.shape,
    ...Mcp.shape,
    ...Hosts.shape,
    ALLOWED_HOSTS: z
      .string()
      .default('')
      .transform((text) =>
        text
          .toLowerCase()
          .split(/[\s,]+/)
          .filter((host) => host !== ''),
      )
      .describe(
        'More host names under which browsers and MCP clients may use aish, separated by commas. localhost and the name in PUBLIC_URL are always allowed; for browsers also IP addresses, names without a dot, and names that end in .local, .lan, .home.arpa or .internal',
      ),
    HOST: z.string().default('127.0.0.1').describe('Address to listen on'),
    PORT: port.default(7717).describe('Port to listen on; 0 takes a free one'),
    KNOWLEDGE_DIR: knowledgeDir,
    KNOWLEDGE_REMOTE: z.string().min(1).optional().describe('Private repository to which the knowledge base is pushed'),
    KNOWLEDGE_PUSH_EVERY_MS: milliseconds.default(900_000).describe('Time between two pushes of the knowledge base'),
    TOKEN_FILE: z.string().min(1).describe('File to which the first admin token is written once, with mode 0600'),
    REQUESTS_PER_MINUTE: z.coerce
      .number()
      .int()
      .min(1)
      .default(6_000)
      .describe('Maximum requests per minute with one token; further requests get 429'),
    WRONG_TOKENS_PER_MINUTE: z.coerce
      .number()
      .int()
      .min(1)
      .default(60)
      .describe('Maximum wrong tokens per minute from one address; after that aish rejects every token from it'),
    TRUSTED_PROXIES: ProxyAddresses.describe(
      'Addresses, networks and names of reverse proxies, separated by commas. aish trusts the X-Forwarded-For header only from these; unset: from none',
    ),
    ...Telemetry.shape,
    LOG_LEVEL: logLevel,
  })
  .superRefine(checkedBy(modelSettings))
  .superRefine(checkedBy(notificationSettings))
  .superRefine(checkedBy(signInSettings));
export type ApiConfig = z.infer<typeof ApiConfig>;
