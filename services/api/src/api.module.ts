import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { dropPreview } from '@aish/actions';
import { APP_GUARD } from '@nestjs/core';
import { OfferedTools, type Caller } from '@aish/mcp';
import { Compactor, MemoryDocuments, Recall } from '@aish/memory';
import { Closing, type ApiParts } from './api.parts.js';
import { AfterCommit } from './after-commit.js';
import { AuditController, AuditLog } from './audit/audit.controller.js';
import { BackupController } from './backup/backup.controller.js';
import { BackupService } from './backup/backup.service.js';
import { ChatVerdicts } from './decisions/chat-verdicts.js';
import { DecisionsController } from './decisions/decisions.controller.js';
import { DecisionsService } from './decisions/decisions.service.js';
import { NeedGiver } from './decisions/give-need.js';
import { FilesController } from './files/files.controller.js';
import { FilesService } from './files/files.service.js';
import { OutputController } from './files/output.controller.js';
import { Outputs } from './files/outputs.js';
import { PreviewService } from './files/preview.service.js';
import { UndoController } from './files/undo.controller.js';
import { UndoService } from './files/undo.service.js';
import { BriefController } from './lab/brief.controller.js';
import { BriefService } from './lab/brief.service.js';
import { DigestController } from './digest/digest.controller.js';
import { Digests } from './digest/digests.js';
import { DoctorController } from './doctor/doctor.controller.js';
import { DoctorService } from './doctor/doctor.service.js';
import { EventsController } from './events/events.controller.js';
import { EventsService } from './events/events.service.js';
import { GoalsController } from './goals/goals.controller.js';
import { GoalsService } from './goals/goals.service.js';
import { NewGoals } from './goals/new-goals.js';
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
import { CandidatesController } from './memory/candidates.controller.js';
import { DocumentsController } from './memory/documents.controller.js';
import { MemoryKeeper } from './memory/memory-keeper.js';
import { MemoryController } from './memory/memory.controller.js';
import { RecallController } from './memory/recall.controller.js';
import { MemoryService } from './memory/memory.service.js';
import { memoryTools } from './memory/memory.tools.js';
import { EndpointController, McpServing } from './mcp/endpoint.controller.js';
import { GoalTasks } from './mcp/goal.tasks.js';
import { goalTools, safetyTools } from './mcp/goal.tools.js';
import { McpController } from './mcp/mcp.controller.js';
import { McpService } from './mcp/mcp.service.js';
import { offeredResources } from './mcp/offered.resources.js';
import { ModelsController } from './models/models.controller.js';
import { ModelsService } from './models/models.service.js';
import { DecisionPageController, LinkKey } from './notifications/decision-page.controller.js';
import { SchedulesController } from './schedules/schedules.controller.js';
import { SchedulesService } from './schedules/schedules.service.js';
import { RunbookProposalsController } from './runbooks/proposals.controller.js';
import { RunbooksController } from './runbooks/runbooks.controller.js';
import { RunbooksService } from './runbooks/runbooks.service.js';
import { SafetyController } from './safety/safety.controller.js';
import { SafetyService } from './safety/safety.service.js';
import { RunningSettings, SettingsController } from './settings/settings.controller.js';
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
import { ChatController } from './sessions/chat.controller.js';
import { ChatMessages } from './sessions/chat-messages.js';
import { ChatStops } from './sessions/chat-stops.js';
import { ChatUpkeep } from './sessions/chat-upkeep.js';
import { ChatsService } from './sessions/chats.service.js';
import { CommandGrantsController } from './sessions/command-grants.controller.js';
import { CommandGrants } from './sessions/command-grants.js';
import { SessionStreams } from './sessions/session-streams.js';
import { SessionTools } from './sessions/session-tools.js';
import { SessionToolsController } from './sessions/session-tools.controller.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { HostFolders } from './sessions/host-folders.js';
import { SessionsService } from './sessions/sessions.service.js';
import { DeviceLoginController } from './sign-in/device-login.controller.js';
import { DevicePageController } from './sign-in/device-page.controller.js';
import { DeviceLoginService } from './sign-in/device-login.service.js';
import { SignInController } from './sign-in/sign-in.controller.js';
import { SignInService } from './sign-in/sign-in.service.js';
import { TokensController } from './tokens/tokens.controller.js';
import { TokensService } from './tokens/tokens.service.js';
import { BrowserHosts } from './web/browser-request.js';
import { WebAppController } from './web/web-app.controller.js';
import { WebApp } from './web/web-app.js';
import { WebPushController, WebPushService } from './web/web-push.controller.js';
import { WebSessionController } from './web/web-session.controller.js';
import { WebSessionService } from './web/web-session.service.js';

const CONTROLLERS: readonly Type[] = [
  GoalsController,
  DecisionsController,
  SchedulesController,
  DigestController,
  BriefController,
  EventsController,
  ArchiveController,
  SessionsController,
  SessionToolsController,
  ChatController,
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
  RunbookProposalsController,
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
  WebPushController,
  WebAppController,
  HealthController,
  DoctorController,
  SettingsController,
  OpenApiController,
];

@Module({})
export class ApiModule {
  static register(parts: ApiParts): DynamicModule {
    const { db, queue, bus, hub, broker, sandbox, workspaces, presets, memory, limits, logger } = parts;
    const after = new AfterCommit(queue, bus, logger);
    const images = new ImagesService(db, parts.images);
    const { runbooks } = parts.knowledge;
    const names = presets.map((preset) => preset.name);
    const folders = new HostFolders(sandbox);
    const goals = new GoalsService(db, after, sandbox, parts.sessionDefaults.trustMax);
    const given = new NewGoals(
      db,
      after,
      folders,
      { presets: names, maxNorrisSteps: parts.maxNorrisSteps, trustMax: parts.sessionDefaults.trustMax },
      runbooks === null ? undefined : (call) => runbooks.open(call),
    );
    // Other subjects add theirs here.
    const tools = new OfferedTools()
      .add(...goalTools(given, goals), ...safetyTools(parts.safety), ...knowledgeTools(parts.knowledge))
      .addFor(memoryTools(memory.parts));
    const { driver, toolbox, fits } = parts.chats;
    const sessions = new SessionsService(db, workspaces);
    const streams = new SessionStreams(db, hub);
    const upkeep = new ChatUpkeep(hub, driver, parts.chatSweepEveryMs, logger);
    const inChats = new ChatVerdicts(db, after, hub, driver);
    const decisions = new DecisionsService(
      db,
      after,
      inChats,
      new NeedGiver(parts.secretBox, sandbox),
      parts.grants,
      (decided) => dropPreview(sandbox, decided, (err) => logger.warn({ err }, 'a preview is left until it is old')),
    );
    const tasks = new GoalTasks(db, goals, decisions);
    const resources = offeredResources(goals, runbooks, parts.memory.parts);
    const offers = { tools, resources, tasksOf: (caller: Caller) => tasks.of(caller) };
    const tokens = new TokensService(db);
    const models = new ModelsService(broker, fits, presets);
    const mcp = new McpService(parts.mcp, db, parts.safety, parts.chats);
    const knowledge = parts.knowledge.service;
    const { backupSchedule: backups } = parts;
    const doctor = new DoctorService({ db, queue, sandbox, models, knowledge, mcp, backups });
    return {
      module: ApiModule,
      controllers: [...CONTROLLERS],
      providers: [
        { provide: APP_GUARD, useValue: new TokenGuard(db, limits, parts.browserHosts) },
        { provide: APP_GUARD, useValue: new SpaceGuard(db) },
        { provide: GoalsService, useValue: goals },
        { provide: NewGoals, useValue: given },
        { provide: Digests, useValue: new Digests(db) },
        { provide: BriefService, useValue: new BriefService(db, parts.hosts) },
        { provide: DecisionsService, useValue: decisions },
        { provide: SchedulesService, useValue: new SchedulesService(db, queue, given) },
        { provide: EventsService, useValue: new EventsService({ db, after, given, goals, box: parts.eventBox }) },
        { provide: PreviewService, useValue: new PreviewService(db, workspaces, sandbox, folders) },
        { provide: UndoService, useValue: new UndoService(db, after, workspaces, folders) },
        { provide: Outputs, useValue: new Outputs(db, workspaces, logger) },
        { provide: FilesService, useValue: new FilesService(db, workspaces) },
        { provide: SessionsService, useValue: sessions },
        { provide: CommandGrants, useValue: new CommandGrants(db, sessions) },
        { provide: ChatsService, useValue: new ChatsService(db, hub, parts.sessionDefaults, folders, parts.spaces) },
        { provide: SessionTools, useValue: new SessionTools(db, sessions, toolbox) },
        { provide: ChatMessages, useValue: new ChatMessages(streams, driver, memory.callers) },
        { provide: ChatStops, useValue: new ChatStops(sessions, streams, driver, bus) },
        { provide: ArchiveService, useValue: new ArchiveService(db, after, workspaces) },
        { provide: SessionStreams, useValue: streams },
        { provide: SessionSandboxes, useValue: new SessionSandboxes(db) },
        { provide: SecretsService, useValue: new SecretsService(db, bus, parts.secretBox) },
        { provide: SpacesService, useValue: new SpacesService(db, folders, names, images) },
        { provide: ImagesService, useValue: images },
        { provide: NetworkService, useValue: new NetworkService(db, bus, sandbox) },
        { provide: HostsService, useValue: new HostsService(db, parts.hosts) },
        { provide: ModelsService, useValue: models },
        { provide: SafetyService, useValue: parts.safety },
        { provide: MemoryService, useValue: memory.service },
        { provide: MemoryKeeper, useValue: memory.keeper },
        { provide: MemoryDocuments, useValue: memory.parts.documents },
        { provide: Compactor, useValue: memory.compactor },
        { provide: Recall, useValue: memory.parts.recall },
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
        { provide: WebPushService, useValue: new WebPushService(db, parts.push) },
        { provide: LinkKey, useValue: parts.linkKey },
        { provide: AuditLog, useValue: new AuditLog(db) },
        { provide: McpService, useValue: mcp },
        { provide: McpServing, useValue: new McpServing(offers, parts.mcpHosts, logger) },
        { provide: DoctorService, useValue: doctor },
        { provide: RunningSettings, useValue: new RunningSettings(parts.settings) },
        { provide: HealthService, useValue: new HealthService(db, queue, sandbox) },
        { provide: OpenApiDocument, useValue: new OpenApiDocument(CONTROLLERS) },
        { provide: Closing, useValue: new Closing(parts, upkeep) },
      ],
    };
  }
}
