import { announceBoundary, sessionSecrets, type HostPorts, type SafetyGate } from '@aish/actions';
import { Asker, CapabilityStore, TokenCounter, type Broker } from '@aish/broker';
import { ChatRunner, type ChatPorts, type ChatWaits } from '@aish/sessions';
import type { ApiConfig } from '@aish/contracts/config/api.config';
import type { Preset } from '@aish/contracts/config/presets.settings';
import type { ToolProvider } from '@aish/contracts/tools';
import type { Database } from '@aish/database/client';
import { findCapabilities, saveCapabilities } from '@aish/database/capabilities.repository';
import { keptResults } from '@aish/database/results.repository';
import { SharedLocks } from '@aish/database/shared-locks';
import type { Logger } from '@aish/http';
import type { Sandbox, Workspaces } from '@aish/sandbox-client';
import { UNASKED_KNOWLEDGE_TOOLS, UNASKED_RUNBOOK_TOOLS } from '@aish/knowledge';
import { UNASKED_MEMORY_TOOLS } from '@aish/memory';
import type { SecretBox } from '@aish/secrets/secret-box';
import { TOOLBOX_DEFAULTS, Toolbox, covers } from '@aish/tools';
import type { EventHub } from './event-hub.js';
import type { HiddenTools } from '@aish/contracts/mcp';
import { hiddenTools } from '../mcp/hidden-tools.js';

/** The number of answers to one message. After that the model waits for the person's next message. */
const MAX_TOOL_DEPTH = 8;

export interface ChatParts {
  readonly runner: ChatRunner;
  readonly toolbox: Toolbox;
  readonly capabilityStore: CapabilityStore;
  readonly locks: SharedLocks;
  /** Returns whether a tool runs without asking, by its label. */
  readonly autoApproves: (label: string) => boolean;
  /** Returns the number of tools that a model must search for. */
  readonly hiddenTools: (owner: string) => Promise<HiddenTools | null>;
}

/** Creates the parts that chats need. */
export function makeChats(options: {
  readonly config: ApiConfig;
  readonly db: Database;
  readonly hub: EventHub;
  readonly broker: Broker;
  readonly sandbox: Sandbox;
  readonly workspaces: Workspaces;
  readonly hosts: HostPorts | undefined;
  readonly gate: SafetyGate;
  readonly secretBox: SecretBox;
  readonly presets: readonly Preset[];
  /** The tools are read at each use, because MCP servers come and go. */
  readonly providers: () => readonly ToolProvider[];
  /** Returns whether the tool's server lets it run without asking. */
  readonly isAutoApproved: (label: string) => boolean;
  /** Returns the memory lines for the `[background]` of an owner's sessions, or null. */
  readonly background: ChatPorts['background'];
  readonly waits: ChatWaits;
  readonly logger: Logger;
}): ChatParts {
  const {
    config,
    db,
    hub,
    broker,
    sandbox,
    workspaces,
    gate,
    secretBox,
    presets,
    providers,
    isAutoApproved,
    background,
    logger,
  } = options;
  const onError = (err: unknown, what: string): void => logger.warn({ err }, `could not ${what}`);
  const store = {
    load: (baseUrl: string, model: string) => findCapabilities(db.statements, baseUrl, model),
    save: (baseUrl: string, model: string, capabilities: Parameters<typeof saveCapabilities>[3]) =>
      saveCapabilities(db.statements, baseUrl, model, capabilities),
  };
  const capabilityStore = new CapabilityStore(broker, store, (error) =>
    onError(error, 'keep what was found out about a model'),
  );
  const toolbox = new Toolbox(providers, keptResults(db), TOOLBOX_DEFAULTS, (error, provider) =>
    onError(error, `list the tools of ${provider}`),
  );
  const locks = new SharedLocks(db, (error) => onError(error, 'keep the locks of chats'));
  const unasked = [
    ...UNASKED_MEMORY_TOOLS,
    ...UNASKED_KNOWLEDGE_TOOLS,
    ...UNASKED_RUNBOOK_TOOLS,
    ...config.AUTO_APPROVE,
  ];
  const autoApproves = (label: string): boolean =>
    isAutoApproved(label) || unasked.some((pattern) => covers(pattern, label));
  const runner = new ChatRunner(
    {
      db,
      locks,
      broker,
      asker: new Asker(broker, capabilityStore, new TokenCounter(broker)),
      sandbox,
      workspaces,
      hosts: options.hosts,
      gate,
      secrets: sessionSecrets(db, secretBox),
      toolbox,
      autoApproves,
      outlet: {
        events: (sessionId, events) => hub.recorded(sessionId, events),
        live: (sessionId, body) => hub.live(sessionId, body),
      },
      background,
      onError,
      at: announceBoundary,
    },
    {
      waits: options.waits,
      presets,
      commandTimeoutMs: config.CHAT_COMMAND_TIMEOUT_MS,
      elicitationWaitMs: config.ELICITATION_WAIT_MS,
      followUps: { autoContinue: config.AUTO_CONTINUE === 'true', confirmCommands: config.CONFIRM_CMD },
      toolShare: config.TOOL_SHARE,
      maxToolDepth: MAX_TOOL_DEPTH,
      maxChatSteps: config.MAX_CHAT_STEPS,
      trustMax: config.TRUST_MAX,
      confirmReads: config.CONFIRM_READS,
      readsGoOn: config.AUTO_CONTINUE !== 'false' && !config.CONFIRM_READS,
      grants: config.GRANTS === 'allow',
    },
  );
  const described = { toolbox, capabilityStore, presets, toolShare: config.TOOL_SHARE, autoApproves };
  return {
    runner,
    toolbox,
    capabilityStore,
    locks,
    autoApproves,
    hiddenTools: (owner) => hiddenTools(owner, described),
  };
}
