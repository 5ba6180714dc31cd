import * as z from 'zod';
import { modelSettings, noticeSettings, signInSettings, holding } from './combinations.js';
import { Chats } from './chats.settings.js';
import { Mcp } from './mcp.settings.js';
import { Memory } from './memory.settings.js';
import { Notices } from './notices.settings.js';
import { Presets } from './presets.settings.js';
import { SignIns } from './sign-ins.settings.js';
import { Store } from './store.settings.js';
import { Grants, Safety } from './safety.settings.js';
import { logLevel, milliseconds, port } from './setting-types.js';
import { SandboxAccess, Telemetry, Hosts, knowledgeDir } from './shared.settings.js';

const Backups = z.object({
  BACKUP_DIR: z.string().min(1).optional().describe('Folder for backups that are made by themselves; unset makes none'),
  BACKUP_EVERY_HOURS: z.coerce.number().min(0.01).max(8_760).default(24).describe('Hours between two of them'),
  BACKUP_KEEP: z.coerce.number().int().min(1).max(1_000).default(7).describe('How many of them are kept'),
  BACKUP_WORKSPACES: z.enum(['none', 'all']).default('none').describe('Whether workspaces are in them'),
});

/** What may stand between clients and the api: addresses, and networks as 172.16.0.0/12. */
/** A wrong address is no name. */
const ProxyName = z.string().regex(/^(?!(true|false)$)(?=.*[a-z])[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i);

const ProxyAddresses = z
  .string()
  .default('')
  .transform((text) => text.split(/[\s,]+/).filter((word) => word !== ''))
  .pipe(
    z
      .array(
        z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6(), ProxyName], {
          error: 'must be an address, a network as 172.16.0.0/12, or a name',
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
    ...Notices.shape,
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
        'More host names under which browsers and MCP clients may use aish, with commas between. The name in PUBLIC_URL is always allowed, localhost too, and for browsers addresses, names without a dot, and names that end in .local, .lan, .home.arpa or .internal',
      ),
    HOST: z.string().default('127.0.0.1').describe('Address to listen on'),
    PORT: port.default(7717).describe('Port to listen on; 0 takes a free one'),
    KNOWLEDGE_DIR: knowledgeDir,
    KNOWLEDGE_REMOTE: z
      .string()
      .min(1)
      .optional()
      .describe('Where the knowledge base is pushed to; a private repository'),
    KNOWLEDGE_PUSH_EVERY_MS: milliseconds.default(900_000).describe('Pause between two pushes of the knowledge base'),
    TOKEN_FILE: z.string().min(1).describe('Where the first admin token is written, once, mode 0600'),
    REQUESTS_PER_MINUTE: z.coerce.number().int().min(1).default(6_000).describe('Requests of one token; more get 429'),
    WRONG_TOKENS_PER_MINUTE: z.coerce
      .number()
      .int()
      .min(1)
      .default(60)
      .describe('Wrong tokens from one address, after which no token from there is looked at'),
    TRUSTED_PROXIES: ProxyAddresses.describe(
      'Addresses, networks and names of reverse proxies, with commas between: what they say in X-Forwarded-For is who asks. None: nobody is believed',
    ),
    ...Telemetry.shape,
    LOG_LEVEL: logLevel,
  })
  .superRefine(holding(modelSettings))
  .superRefine(holding(noticeSettings))
  .superRefine(holding(signInSettings));
export type ApiConfig = z.infer<typeof ApiConfig>;
