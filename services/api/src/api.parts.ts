import { Global, Injectable, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import type { HostPorts } from '@aish/actions';
import type { Broker } from '@aish/broker';
import type { Decision } from '@aish/contracts/decisions';
import type { Preset } from '@aish/contracts/config/presets.settings';
import type { ShownSetting } from '@aish/contracts/shown-settings';
import type { Database } from '@aish/database/client';
import type { SessionSpaces } from '@aish/database/session-spaces';
import type { Mcp } from '@aish/mcp';
import type { EventBus, QueueStore } from '@aish/queue';
import type { Logger } from '@aish/http';
import type { Images, Sandbox, Workspaces } from '@aish/sandbox-client';
import type { SecretBox } from '@aish/secrets/secret-box';
import type { Telemetry } from '@aish/telemetry';
import type { OpenRunbook } from '@aish/contracts/runbooks';
import type { BackupJob, BackupSchedule } from './backup/backup.job.js';
import type { BackupService } from './backup/backup.service.js';
import type { GoalLimits } from './goals/new-goals.js';
import type { RequestLimits } from './http/request-limits.js';
import type { Knowledge } from './knowledge/open-knowledge.js';
import type { Memory } from './memory/open-memory.js';
import type { Messengers } from './messenger/messenger.js';
import type { LinkKey } from './notifications/decision-page.controller.js';
import type { Notifier } from './notifications/notifier.js';
import type { Presence } from './notifications/presence.js';
import type { PushSettings } from './notifications/push.channel.js';
import type { SafetyService } from './safety/safety.service.js';
import { Part, partToken, type PartName } from './part.js';
import { ChatUpkeep } from './sessions/chat-upkeep.js';
import type { SessionDefaults } from './sessions/chats.service.js';
import type { EventHub } from './sessions/event-hub.js';
import type { ChatParts } from './sessions/make-chats.js';
import type { SignInSettings } from './sign-in/sign-in.service.js';
import type { Sweeps } from './part.js';
import type { BrowserHosts } from './web/browser-request.js';
import type { WebApp } from './web/web-app.js';

/** The parts of the api. start-api.ts opens them, and the module closes them when the application shuts down. */
export interface ApiParts {
  readonly db: Database;
  readonly queue: QueueStore;
  readonly bus: EventBus;
  readonly hub: EventHub;
  readonly broker: Broker;
  readonly sandbox: Sandbox;
  readonly workspaces: Workspaces;
  readonly presets: readonly Preset[];
  readonly chats: ChatParts;
  readonly sessionDefaults: SessionDefaults;
  readonly goalLimits: GoalLimits;
  /** Discards the changes of a decided action's preview. */
  readonly dropPreview: (decided: Decision) => Promise<void>;
  readonly sweeps: Sweeps;
  readonly safety: SafetyService;
  readonly knowledge: Knowledge;
  readonly memory: Memory;
  readonly spaces: SessionSpaces;
  /** Whether a person may grant the same action for the future. */
  readonly grants: boolean;
  readonly limits: RequestLimits;
  readonly notifier: Notifier;
  readonly linkKey: LinkKey;
  readonly push: PushSettings;
  readonly presence: Presence;
  readonly messengers: Messengers;
  readonly backups: BackupService;
  readonly backupJob: BackupJob;
  readonly backupSchedule: BackupSchedule | null;
  readonly signIn: SignInSettings | null;
  readonly telemetry: Telemetry;
  readonly mcp: Mcp;
  /** Undefined without HOSTS_CA_KEY, and then commands cannot reach hosts. */
  readonly hosts: HostPorts | undefined;
  readonly images: Images;
  /** Encrypts secrets that commands use without seeing them. */
  readonly secretBox: SecretBox;
  /** Encrypts the secrets that authenticate event sources. */
  readonly eventBox: SecretBox;
  /** The host names that /mcp accepts. */
  readonly mcpHosts: readonly string[];
  readonly browserHosts: BrowserHosts;
  readonly webApp: WebApp;
  /** The settings that people may see, without secrets. */
  readonly settings: readonly ShownSetting[];
  readonly logger: Logger;
}

/** Provides the parts to every module of the api. */
@Global()
@Module({})
export class PartsModule {
  static of(parts: ApiParts): DynamicModule {
    const { memory, knowledge } = parts;
    const named = { ...parts, ...derivedFrom(parts), all: parts } satisfies Record<PartName, unknown>;
    const opened = [
      parts.safety,
      knowledge.service,
      parts.backups,
      memory.service,
      memory.maintainer,
      memory.compactor,
      memory.parts.documents,
      memory.parts.recall,
      parts.limits,
      parts.browserHosts,
      parts.webApp,
      parts.linkKey,
      parts.presence,
    ];
    const providers = [
      ...Object.entries(named).map(([name, useValue]) => ({ provide: partToken(name), useValue })),
      ...opened.map((useValue) => ({ provide: useValue.constructor, useValue })),
    ];
    return { module: PartsModule, providers, exports: providers.map(({ provide }) => provide) };
  }
}

/** Derives parts from other parts, so that classes can inject them by name. */
function derivedFrom({ chats, goalLimits, memory, knowledge: { runbooks } }: ApiParts) {
  const { runner, toolbox, capabilityStore } = chats;
  const openRunbook: OpenRunbook | undefined = runbooks === null ? undefined : (call) => runbooks.open(call);
  const { presets: presetNames, trustMax } = goalLimits;
  return { runner, toolbox, capabilityStore, runbooks, openRunbook, presetNames, trustMax, callers: memory.callers };
}

/** Closes the parts after the last request has ended. */
@Injectable()
export class Closing implements OnApplicationShutdown {
  constructor(
    @Part('all') private readonly parts: ApiParts,
    private readonly upkeep: ChatUpkeep,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    const { hub, bus, queue, db, knowledge, memory, notifier, mcp, telemetry } = this.parts;
    await this.upkeep.shutdown();
    this.parts.chats.capabilityStore.stop();
    await this.parts.chats.locks.close();
    await notifier.stop();
    await this.parts.backupJob.stop();
    await memory.maintainer.stop();
    await mcp.close();
    await knowledge.close();
    await hub.stop();
    await bus.close();
    await queue.close();
    await db.close();
    await telemetry.shutdown();
  }
}
