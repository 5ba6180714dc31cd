import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { HostPorts } from '@aish/actions';
import type { Broker } from '@aish/broker';
import type { Trust } from '@aish/contracts/trust';
import type { Preset } from '@aish/contracts/config/presets.settings';
import type { Database } from '@aish/database/client';
import { OfferedTools, type Mcp } from '@aish/mcp';
import type { EventBus, QueueStore } from '@aish/queue';
import type { Logger } from '@aish/http';
import type { Images, Sandbox, Workspaces } from '@aish/sandbox-client';
import type { SecretBox } from '@aish/secrets/secret-box';
import type { Telemetry } from '@aish/telemetry';
import { AfterCommit } from './after-commit.js';
import { AuditController, AuditLog } from './audit/audit.controller.js';
import { BackupController } from './backup/backup.controller.js';
import type { BackupJob, BackupSchedule } from './backup/backup.job.js';
import { BackupService } from './backup/backup.service.js';
import { DecisionsController } from './decisions/decisions.controller.js';
import { DecisionsService } from './decisions/decisions.service.js';
import { NeedGiver } from './decisions/give-need.js';
import { FilesController } from './files/files.controller.js';
import { FilesService } from './files/files.service.js';
import { OutputController, Outputs } from './files/output.controller.js';
import { UndoController } from './files/undo.controller.js';
import { UndoService } from './files/undo.service.js';
import { DoctorController } from './doctor/doctor.controller.js';
import { DoctorService } from './doctor/doctor.service.js';
import { EventsController } from './events/events.controller.js';
import { EventsService } from './events/events.service.js';
import { GoalsController } from './goals/goals.controller.js';
import { GoalsService } from './goals/goals.service.js';
import { ImagesController } from './images/images.controller.js';
import { ImagesService } from './images/images.service.js';
import { HostsController } from './hosts/hosts.controller.js';
import { HostsService } from './hosts/hosts.service.js';
import { HealthController } from './health/health.controller.js';
import { HealthService } from './health/health.service.js';
import { OpenApiController, OpenApiDocument } from './http/openapi.controller.js';
import { RequestLimits } from './http/request-limits.js';
import { TokenGuard } from './http/token.guard.js';
import { KnowledgeController } from './knowledge/knowledge.controller.js';
import { knowledgeTools } from './knowledge/knowledge.offers.js';
import { KnowledgeService } from './knowledge/knowledge.service.js';
import type { Knowledge } from './knowledge/open-knowledge.js';
import { CandidatesController } from './memory/candidates.controller.js';
import { DocumentsController } from './memory/documents.controller.js';
import { MemoryKeeper } from './memory/memory-keeper.js';
import { MemoryController } from './memory/memory.controller.js';
import { RecallController } from './memory/recall.controller.js';
import { MemoryService } from './memory/memory.service.js';
import { memoryTools } from './memory/memory.tools.js';
import { EndpointController, McpServing } from './mcp/endpoint.controller.js';
import { goalTools, safetyTools } from './mcp/goal.tools.js';
import { McpController } from './mcp/mcp.controller.js';
import { McpService } from './mcp/mcp.service.js';
import { ModelsController } from './models/models.controller.js';
import { ModelsService } from './models/models.service.js';
import { DecisionPageController, LinkKey } from './notifications/decision-page.controller.js';
import type { Notifier } from './notifications/notifier.js';
import { SchedulesController } from './schedules/schedules.controller.js';
import { SchedulesService } from './schedules/schedules.service.js';
import { RunbooksController } from './runbooks/runbooks.controller.js';
import { RunbooksService } from './runbooks/runbooks.service.js';
import { SafetyController } from './safety/safety.controller.js';
import { SafetyService } from './safety/safety.service.js';
import { EventHub } from './sessions/event-hub.js';
import { SpaceGuard } from './spaces/space.guard.js';
import { SpacesController } from './spaces/spaces.controller.js';
import { SpacesService } from './spaces/spaces.service.js';
import { SecretsController } from './secrets/secrets.controller.js';
import { SecretsService } from './secrets/secrets.service.js';
import { NetworkController } from './sessions/network.controller.js';
import { NetworkService } from './sessions/network.service.js';
import { SessionSandboxController, SessionSandboxes } from './sessions/session-sandbox.controller.js';
import { ArchiveController } from './sessions/archive.controller.js';
import { ArchiveService } from './sessions/archive.service.js';
import { ChatsService } from './sessions/chats.service.js';
import type { ChatParts } from './sessions/make-chats.js';
import { CommandGrantsController } from './sessions/command-grants.controller.js';
import { CommandGrants } from './sessions/command-grants.js';
import { SessionStreams, SessionsController } from './sessions/sessions.controller.js';
import { HostFolders } from './sessions/host-folders.js';
import { SessionsService, type SessionDefaults } from './sessions/sessions.service.js';
import { DeviceLoginController } from './sign-in/device-login.controller.js';
import { DevicePageController } from './sign-in/device-page.controller.js';
import { DeviceLoginService } from './sign-in/device-login.service.js';
import { SignInController } from './sign-in/sign-in.controller.js';
import { SignInService, type SignInSettings } from './sign-in/sign-in.service.js';
import { TokensController } from './tokens/tokens.controller.js';
import { TokensService } from './tokens/tokens.service.js';
import { BrowserHosts } from './web/browser-request.js';
import { WebAppController } from './web/web-app.controller.js';
import { WebApp } from './web/web-app.js';
import { WebSessionController } from './web/web-session.controller.js';
import { WebSessionService } from './web/web-session.service.js';

/** What the api stands on. Opened by main.ts; closed by the module when the application shuts down. */
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
  /** Steps of a goal, where neither it nor its space says how many. */
  readonly maxNorrisSteps: number;
  /** Whether a lost connection stops the exchange it was opened for. */
  readonly stopOnDisconnect: boolean;
  readonly safety: SafetyService;
  readonly knowledge: Knowledge;
  readonly memory: MemoryService;
  readonly keeper: MemoryKeeper;
  /** Whether a person may let the same action run again without being asked. */
  readonly grants: boolean;
  /** The most that may be left to commands without a question. */
  readonly trustMax: Trust;
  readonly limits: RequestLimits;
  readonly notifier: Notifier;
  readonly linkKey: LinkKey;
  readonly backups: BackupService;
  readonly backupJob: BackupJob;
  readonly backupSchedule: BackupSchedule | null;
  readonly signIn: SignInSettings | null;
  readonly telemetry: Telemetry;
  readonly mcp: Mcp;
  /** Undefined without HOSTS_CA_KEY: commands reach no other host. */
  readonly hosts: HostPorts | undefined;
  readonly images: Images;
  /** Seals what commands may use without having it. */
  readonly secretBox: SecretBox;
  /** Seals what senders of events prove themselves by. */
  readonly eventBox: SecretBox;
  /** Names under which /mcp may be asked for. */
  readonly mcpHosts: readonly string[];
  readonly browserHosts: BrowserHosts;
  readonly webApp: WebApp;
  readonly logger: Logger;
}

/** Closes the parts after the last request. */
class Closing implements OnApplicationShutdown {
  constructor(
    private readonly parts: ApiParts,
    private readonly chats: ChatsService,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    const { hub, bus, queue, db, knowledge, keeper, notifier, mcp, telemetry } = this.parts;
    await this.chats.shutdown();
    this.parts.chats.fits.stop();
    await this.parts.chats.locks.close();
    await notifier.stop();
    await this.parts.backupJob.stop();
    await keeper.stop();
    await mcp.close();
    await knowledge.close();
    await hub.stop();
    await bus.close();
    await queue.close();
    await db.close();
    await telemetry.shutdown();
  }
}

@Module({})
export class ApiModule {
  static register(parts: ApiParts): DynamicModule {
    const { db, queue, bus, hub, broker, sandbox, workspaces, presets, limits, logger } = parts;
    const after = new AfterCommit(queue, bus, logger);
    const images = new ImagesService(db, parts.images);
    const { runbooks } = parts.knowledge;
    const names = presets.map((preset) => preset.name);
    const goals = new GoalsService(
      db,
      after,
      sandbox,
      names,
      parts,
      runbooks === null ? undefined : (call) => runbooks.open(call),
    );
    // Other subjects add theirs here.
    const offered = new OfferedTools()
      .add(...goalTools(goals), ...safetyTools(parts.safety), ...knowledgeTools(parts.knowledge))
      .addFor(memoryTools(parts.memory.parts));
    const { driver, toolbox, fits } = parts.chats;
    const sessions = new SessionsService(
      db,
      hub,
      workspaces,
      toolbox,
      parts.sessionDefaults,
      new HostFolders(parts.sandbox),
    );
    const archive = new ArchiveService(db, after, workspaces, goals, sessions);
    const chats = new ChatsService(
      db,
      hub,
      bus,
      driver,
      sessions,
      parts.memory.callers,
      parts.stopOnDisconnect,
      logger,
    );
    const tokens = new TokensService(db);
    const models = new ModelsService(broker, fits, presets);
    const mcp = new McpService(parts.mcp, db, parts.safety, parts.chats.hiddenTools);
    const knowledge = parts.knowledge.service;
    const { backupSchedule: backups } = parts;
    const doctor = new DoctorService({ db, queue, sandbox, models, knowledge, mcp, backups });
    return {
      module: ApiModule,
      controllers: [
        GoalsController,
        DecisionsController,
        SchedulesController,
        EventsController,
        ArchiveController,
        SessionsController,
        CommandGrantsController,
        NetworkController,
        SecretsController,
        ImagesController,
        SpacesController,
        SessionSandboxController,
        HostsController,
        FilesController,
        UndoController,
        OutputController,
        ModelsController,
        SafetyController,
        KnowledgeController,
        RunbooksController,
        MemoryController,
        RecallController,
        CandidatesController,
        DocumentsController,
        TokensController,
        AuditController,
        DecisionPageController,
        McpController,
        EndpointController,
        BackupController,
        DeviceLoginController,
        DevicePageController,
        SignInController,
        WebSessionController,
        WebAppController,
        HealthController,
        DoctorController,
        OpenApiController,
      ],
      providers: [
        { provide: APP_GUARD, useValue: new TokenGuard(db, limits, parts.browserHosts) },
        { provide: APP_GUARD, useValue: new SpaceGuard(db) },
        { provide: GoalsService, useValue: goals },
        {
          provide: DecisionsService,
          useValue: new DecisionsService(db, after, hub, driver, parts.grants, new NeedGiver(parts.secretBox)),
        },
        { provide: SchedulesService, useValue: new SchedulesService(db, queue, goals) },
        { provide: EventsService, useValue: new EventsService({ db, after, goals, box: parts.eventBox }) },
        { provide: UndoService, useValue: new UndoService(db, after, workspaces, sandbox, new HostFolders(sandbox)) },
        { provide: Outputs, useValue: new Outputs(db) },
        { provide: FilesService, useValue: new FilesService(db, workspaces) },
        { provide: SessionsService, useValue: sessions },
        { provide: CommandGrants, useValue: new CommandGrants(db, sessions) },
        { provide: ChatsService, useValue: chats },
        { provide: ArchiveService, useValue: archive },
        { provide: SessionStreams, useValue: new SessionStreams(db, hub) },
        { provide: SessionSandboxes, useValue: new SessionSandboxes(db) },
        { provide: SecretsService, useValue: new SecretsService(db, bus, parts.secretBox) },
        { provide: SpacesService, useValue: new SpacesService(db, new HostFolders(sandbox), names, images) },
        { provide: ImagesService, useValue: images },
        { provide: NetworkService, useValue: new NetworkService(db, bus, sandbox) },
        { provide: HostsService, useValue: new HostsService(db, parts.hosts) },
        { provide: ModelsService, useValue: models },
        { provide: SafetyService, useValue: parts.safety },
        { provide: MemoryService, useValue: parts.memory },
        { provide: MemoryKeeper, useValue: parts.keeper },
        { provide: KnowledgeService, useValue: parts.knowledge.service },
        { provide: RunbooksService, useValue: new RunbooksService(db, runbooks) },
        { provide: TokensService, useValue: tokens },
        { provide: RequestLimits, useValue: limits },
        { provide: DeviceLoginService, useValue: new DeviceLoginService(db, tokens) },
        { provide: SignInService, useValue: new SignInService(db, tokens, parts.signIn, logger) },
        { provide: BrowserHosts, useValue: parts.browserHosts },
        { provide: WebApp, useValue: parts.webApp },
        { provide: WebSessionService, useValue: new WebSessionService(db, tokens) },
        { provide: BackupService, useValue: parts.backups },
        { provide: LinkKey, useValue: parts.linkKey },
        { provide: AuditLog, useValue: new AuditLog(db) },
        { provide: McpService, useValue: mcp },
        { provide: McpServing, useValue: new McpServing(offered, parts.mcpHosts, logger) },
        { provide: DoctorService, useValue: doctor },
        { provide: HealthService, useValue: new HealthService(db, queue, sandbox) },
        { provide: OpenApiDocument, useValue: new OpenApiDocument() },
        { provide: Closing, useValue: new Closing(parts, chats) },
      ],
    };
  }
}
