import { HostAuthority, SafetyGate, dropPreview, gateSettings } from '@aish/actions';
import { HttpBroker } from '@aish/broker';
import { CHAT_WAITS, type ChatWaits } from '@aish/sessions';
import type { ApiConfig } from '@aish/contracts/config/api.config';
import { secretKeyOf } from '@aish/contracts/config/mcp.settings';
import { presetsOf } from '@aish/contracts/config/presets.settings';
import { storeSettings } from '@aish/contracts/config/store.settings';
import { parseMcpServers } from '@aish/contracts/mcp-config';
import { shownSettings } from '@aish/contracts/settings';
import { allows } from '@aish/contracts/tokens';
import type { ToolProvider } from '@aish/contracts/tools';
import { connectDatabase } from '@aish/database/client';
import { requireSchema } from '@aish/database/migrations/migrate';
import { sandboxPlaces } from '@aish/database/session-sandbox.repository';
import { SessionSpaces } from '@aish/database/session-spaces';
import { findToken } from '@aish/database/tokens.repository';
import {
  acceptRawBodies,
  bearerMatches,
  bearerToken,
  startService,
  type RunningService,
  type ServiceProcess,
  type StartOptions,
} from '@aish/http';
import { RunbookTools, type PutFiles } from '@aish/knowledge';
import { MemoryToolProvider } from '@aish/memory';
import { SpaceTools, openMcp } from '@aish/mcp';
import { openBus, openQueue } from '@aish/queue';
import { WebSocketStdio, openSandboxes, putReadOnly } from '@aish/sandbox-client';
import { SecretBox } from '@aish/secrets/secret-box';
import { ApiModule } from './api.module.js';
import type { ApiParts } from './api.parts.js';
import type { Sweeps } from './part.js';
import { BackupJob, backupSchedule } from './backup/backup.job.js';
import { BackupService } from './backup/backup.service.js';
import { keepEventBodies } from './events/event-body.js';
import { RequestLimits } from './http/request-limits.js';
import { openKnowledge } from './knowledge/open-knowledge.js';
import { openNotifications } from './notifications/open-notifications.js';
import { SafetyService } from './safety/safety.service.js';
import { acceptLargeMemories } from './memory/large-bodies.js';
import { openMemory } from './memory/open-memory.js';
import { EventHub } from './sessions/event-hub.js';
import { makeChats } from './sessions/make-chats.js';
import { observeWork } from './metrics/work.gauges.js';
import { signInSettings } from './sign-in/sign-in.service.js';
import { ensureFirstToken } from './tokens/first-token.js';
import { hashToken } from './tokens/tokens.service.js';
import { BrowserHosts } from './web/browser-request.js';
import { WebApp } from './web/web-app.js';

/** How long an api waits, milliseconds. */
export interface ApiWaits extends Sweeps {
  readonly chats: ChatWaits;
}

const WAITS: ApiWaits = { chats: CHAT_WAITS, chatSweepEveryMs: 5_000, briefLookEveryMs: 15_000 };
/** Host names that MCP clients on this machine use. */
const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Opens the parts of the api and starts it. Closing the application closes all of them. @throws AishError
 * `invalid_config`, or the service that could not be reached.
 */
export async function startApi(
  { config, logger, telemetry, readText }: ServiceProcess<ApiConfig>,
  { env = process.env, handleSignals = true, waits: otherWaits }: StartOptions<ApiWaits> = {},
): Promise<RunningService> {
  const waits = { ...WAITS, ...otherWaits };
  const mcpServers = parseMcpServers(config.MCP_SERVERS, readText);
  const db = connectDatabase(config.DATABASE_URL, {
    applicationName: 'aish-api',
    onConnectionLost: (err) => logger.warn({ err }, 'lost a database connection'),
  });
  await requireSchema(config.DATABASE_URL);
  const store = storeSettings(config);
  const onError = (err: unknown) => logger.warn({ err }, 'queue or event bus');
  const [queue, bus] = await Promise.all([openQueue({ ...store, onError }), openBus({ ...store, onError })]);
  const hub = new EventHub(bus);
  await hub.start();
  if (await ensureFirstToken(db, config.TOKEN_FILE))
    logger.info({ file: config.TOKEN_FILE }, 'wrote the first admin token');
  const secretKey = secretKeyOf(config);
  const secretBox = new SecretBox(secretKey, 'secrets');
  const eventBox = new SecretBox(secretKey, 'events');
  const mcp = await openMcp({
    db,
    servers: mcpServers,
    box: new SecretBox(secretKey, 'mcp secrets'),
    secrets: secretBox,
    programs: new WebSocketStdio(config.SANDBOX_URL, config.SANDBOX_TOKEN),
    oauthCallbackUrl: `${publicUrlOf(config)}/v1/mcp/oauth/callback`,
    log: (alias, text) => logger.info({ server: alias }, `MCP: ${text}`),
  });
  const presets = presetsOf(config);
  const broker = new HttpBroker();
  const safety = gateSettings(config, presets);
  const gate = new SafetyGate(broker, safety);
  const { notifier, linkKey, push, presence, messengers } = await openNotifications(config, db, hub, logger);
  const { sandbox, workspaces, hosts: bridge, images } = openSandboxes(config, sandboxPlaces(db));
  const { HOSTS_CA_KEY: caKey } = config;
  const hosts = caKey === undefined ? undefined : { authority: new HostAuthority(caKey), bridge };
  const spaces = new SessionSpaces(db);
  const memory = openMemory(config, { db, spaces, broker, presets, hub, logger });
  // The sources of chat tools. A later addition is available for the next request.
  const toolProviders: ToolProvider[] = [
    new SpaceTools(spaces, mcp.registry),
    new MemoryToolProvider(memory.callers, memory.parts),
  ];
  const chats = makeChats({
    config,
    db,
    hub,
    broker,
    sandbox,
    workspaces,
    hosts,
    gate,
    secretBox,
    presets,
    providers: () => toolProviders,
    isAutoApproved: (label) => mcp.registry.isAutoApproved(label),
    background: (context, firstMessage) => memory.backgrounds.of(context, firstMessage),
    waits: waits.chats,
    logger,
  });
  const knowledge = await openKnowledge(config, db, logger, env, memory.nearNodes);
  memory.recallsNodes((...asked) => knowledge.service.queryNamed(...asked));
  if (knowledge.tools !== null) toolProviders.push(knowledge.tools);
  if (knowledge.runbooks !== null) {
    const put: PutFiles = (id, folder, files, signal) => putReadOnly(workspaces, id, folder, files, signal);
    toolProviders.push(new RunbookTools(db, knowledge.runbooks, put));
  }
  const backups = new BackupService(db, knowledge.service, workspaces, logger);
  const schedule = backupSchedule(config);
  const backupJob = new BackupJob(backups, schedule, logger);
  const presetNames = presets.map(({ name }) => name);
  const parts: ApiParts = {
    db,
    queue,
    bus,
    hub,
    broker,
    sandbox,
    workspaces,
    chats,
    goalLimits: { presets: presetNames, maxNorrisSteps: config.MAX_NORRIS_STEPS, trustMax: config.TRUST_MAX },
    dropPreview: (decided) =>
      dropPreview(sandbox, decided, (err) => logger.warn({ err }, 'a preview is left until it is old')),
    sessionDefaults: {
      presets: presetNames,
      autoContinue: config.AUTO_CONTINUE === 'true',
      confirmCommands: config.CONFIRM_CMD,
      trustMax: config.TRUST_MAX,
    },
    sweeps: waits,
    presets,
    safety: new SafetyService(gate, safety.rules),
    memory,
    spaces,
    knowledge,
    backups,
    backupJob,
    backupSchedule: schedule,
    grants: config.GRANTS === 'allow',
    limits: new RequestLimits(config.REQUESTS_PER_MINUTE, config.WRONG_TOKENS_PER_MINUTE),
    notifier,
    linkKey,
    push,
    presence,
    messengers,
    signIn: signInSettings(config),
    telemetry,
    mcp,
    hosts,
    images,
    secretBox,
    eventBox,
    mcpHosts: [...LOCAL_HOSTS, new URL(publicUrlOf(config)).hostname, ...config.ALLOWED_HOSTS],
    browserHosts: new BrowserHosts(config.PUBLIC_URL, config.ALLOWED_HOSTS),
    webApp: await WebApp.load(),
    settings: shownSettings('api', env, readText),
    logger,
  };
  observeWork(db, (err) => logger.warn({ err }, 'could not read a metric'));
  const mayReadMetrics = async (authorization: string | undefined): Promise<boolean> => {
    if (config.METRICS_TOKEN !== undefined && bearerMatches(authorization, config.METRICS_TOKEN)) return true;
    const given = bearerToken(authorization);
    const token = given === null ? null : await findToken(db.statements, hashToken(given));
    return token !== null && allows(token.scopes, 'observe');
  };
  // This comes before the api listens. Afterwards, an unavailable database must not end the service.
  await notifier.start();
  const service = await startService(ApiModule.register(parts), {
    host: config.HOST,
    port: config.PORT,
    logger,
    hasDatabase: true,
    handleSignals,
    trustedProxies: config.TRUSTED_PROXIES,
    metrics: { prometheus: () => telemetry.prometheus(), mayRead: mayReadMetrics },
    configure: (app) => {
      acceptRawBodies(app);
      acceptLargeMemories(app);
      keepEventBodies(app);
    },
  });
  backupJob.start();
  return service;
}

/** The address for browsers, without a trailing slash. */
function publicUrlOf({ PUBLIC_URL, PORT }: ApiConfig): string {
  return PUBLIC_URL?.replace(/\/+$/, '') ?? `http://127.0.0.1:${PORT}`;
}
