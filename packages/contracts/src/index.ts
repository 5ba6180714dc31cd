export { AuditAction, AuditEntry, AuditList, ListAudit } from './audit.js';
export {
  AnswerEnd,
  CHAT_EVENTS,
  CHAT_LIVE,
  ChangeSession,
  ChatState,
  CreateSession,
  ExchangeEnd,
  ForkSession,
  ForkedFrom,
  HistoryTurn,
  ListSessions,
  ListTurns,
  MESSAGE_MAX_CHARS,
  MESSAGE_STREAM_ENDS_WITH,
  SendMessage,
  Session,
  SessionList,
  StopResult,
  ToolGrant,
  ToolGrantList,
  Trouble,
  TurnList,
  ImportSession,
} from './chat.js';
export { ApiConfig } from './config/api.config.js';
export { parseConfig } from './config/parse-config.js';
export { DEFAULT_MODEL_URL, presetNamed, presetsOf, type Preset } from './config/presets.settings.js';
export { SandboxConfig } from './config/sandbox.config.js';
export { sentinelsOf } from './config/store.settings.js';
export { WorkerConfig } from './config/worker.config.js';
export { Action, ActionKind, ActionRequest, ActionState, RunOutcome, actionText } from './actions.js';
export {
  Decision,
  DecisionKind,
  DecisionList,
  DecisionState,
  GiveVerdict,
  ListDecisions,
  Verdict,
  GrantScope,
} from './decisions.js';
export { EventBody, LiveBody, Notice, SessionEvent, type EventType } from './events.js';
export {
  FILES_LISTED_MAX,
  FILE_MEDIA_TYPES,
  FILE_PATH_MAX_BYTES,
  FileEntry,
  FileList,
  FilePath,
  GoalSnapshotList,
  PREVIEW_TIMEOUT_MAX_MS,
  Preview,
  PreviewRequest,
  Snapshot,
  SnapshotList,
  SnapshotRequest,
  FileForm,
} from './files.js';
export {
  CreateGoal,
  DEFAULT_STEP_BUDGET,
  GOAL_TEXT_MAX_CHARS,
  Goal,
  GoalDetail,
  GoalList,
  GoalState,
  ListGoals,
  PresetName,
  Reference,
  Step,
  Usage,
  WaitingFor,
  isTerminal,
  ContinueGoal,
  EditGoal,
  ExportGoal,
  HaltExpiry,
  Priority,
} from './goals.js';
export { HostFolder, HostFolderName, HostFolderNames, HostFolderOffer, isWithin } from './host-folders.js';
export { Check, Health, VERSION } from './health.js';
export { advanceGoal, type AdvanceGoal, fireSchedule, type FireSchedule } from './jobs.js';
export { jsonTextOf, jsonValueOf } from './json-text.js';
export { keepTimeouts } from './lasting-timeouts.js';
export {
  ApplyKnowledgePlan,
  InitKnowledge,
  KNOWLEDGE_CHECKS,
  KNOWLEDGE_LIMITS,
  KnowledgeConfidence,
  KnowledgeCurationReport,
  KnowledgeDoctorCheck,
  KnowledgeDoctorReport,
  KnowledgeFinding,
  KnowledgeGraph,
  KnowledgeGraphQuery,
  KnowledgeHit,
  KnowledgeHits,
  KnowledgeInit,
  KnowledgeLink,
  KnowledgeLintReport,
  KnowledgeNode,
  KnowledgeOperation,
  KnowledgePlan,
  KnowledgePushResult,
  KnowledgeQuery,
  KnowledgeRelation,
  KnowledgeStatus,
  KnowledgeStatusReport,
  KnowledgeSyncRequest,
  KnowledgeSyncResult,
  KnowledgeSyncState,
  KnowledgeType,
  KnowledgeVisibility,
  KnowledgeWrite,
  ProjectSlug,
  RawCapture,
  RememberNode,
  type KnowledgeCheck,
} from './knowledge.js';
export { Model, ModelFit, ModelList, REHEARSAL_MODEL, UNKNOWN_FIT } from './models.js';
export {
  CountedConnection,
  NetworkConnection,
  NetworkConnectionList,
  NetworkPolicy,
  NetworkRule,
  type NetworkPolicyInput,
} from './network.js';
export {
  AcceptCandidate,
  AddMemory,
  AddedMemory,
  CandidateList,
  CandidateState,
  ClearMemory,
  CompactDocument,
  Compaction,
  DEFAULT_SPACE,
  DocumentArchive,
  DocumentHeading,
  DocumentInfo,
  DocumentList,
  DocumentReading,
  DocumentScope,
  EditMemory,
  ForgottenMany,
  ForgottenMemory,
  ImportMemory,
  ImportReport,
  InjectMemory,
  InjectMode,
  LikelySecret,
  ListCandidates,
  ListDocuments,
  ListMemory,
  MEMORY_CANDIDATES_MAX,
  MEMORY_CONTENT_MAX_CHARS,
  MEMORY_DOCUMENT_MAX_BYTES,
  MEMORY_IMPORT_MAX_CHARS,
  MEMORY_INJECT_MAX_CHARS,
  MemoryBackground,
  type MemoryCaller,
  MemoryCandidate,
  MemoryCounts,
  MemoryEvent,
  MemoryHits,
  MemoryItem,
  MemoryKind,
  MemoryList,
  MemoryOrigin,
  MemorySource,
  MemoryTrail,
  NearDuplicate,
  PruneMemory,
  ReadDocument,
  ReadMode,
  SaveSummary,
  SavedSummary,
  SearchMemory,
  SpaceName,
  Summarize,
  Summary,
  WriteDocument,
  WrittenDocument,
  EndSession,
  EndedSession,
} from './memory.js';
export {
  McpAlias,
  McpProtocol,
  McpServersFile,
  parseMcpServers,
  type McpHttpServer,
  type McpOAuth,
  type McpServer,
  type McpStdioServer,
} from './mcp-config.js';
export {
  CallMcpTool,
  ConnectMcpServer,
  GetMcpPrompt,
  McpContent,
  McpContentList,
  McpFailure,
  McpOAuthCallback,
  McpPrompt,
  McpPromptList,
  McpPromptMessages,
  McpResource,
  McpResourceList,
  McpServerList,
  McpServerState,
  McpServerStatus,
  McpTool,
  McpToolDetail,
  McpToolList,
  ReadMcpResource,
} from './mcp.js';
export { AishError, PROBLEMS, Problem, isAishError, toProblem, type ProblemCode } from './problems.js';
export { DEFAULT_SANDBOX, SandboxAddress, SandboxName, SessionSandbox, SetSessionSandbox } from './sandboxes.js';
export {
  CommandSurroundings,
  DEFAULT_RUN_TIMEOUT_MS,
  RunFrame,
  RunRequest,
  RunStatus,
  SandboxStatus,
  type RunRequestInput,
} from './runs.js';
export { Classification, SafetyCheck, SafetyRule, SafetyRuleList, TOOL_UNKNOWN } from './safety.js';
export { STDIO_LINE_MAX_CHARS, StdioFrame, StdioInput, StdioRequest } from './stdio.js';
export {
  Elicitation,
  ElicitationAnswer,
  PendingInput,
  ToolAnnotations,
  ToolAttachment,
  ToolCall,
  ToolResult,
  ToolSpec,
  elicitationAnswer,
  openQuestion,
  shownQuestion,
  withAnswer,
  type ToolCallOptions,
  type ToolContext,
  type ToolLogLine,
  type ToolProgress,
  type ToolProvider,
} from './tools.js';
export { toolNews } from './tool-news.js';
export { CreateToken, NewToken, Scope, TOKEN_DAYS_MAX, Token, TokenList, TokenName, allows } from './tokens.js';
export { SessionKind, Turn, TurnMeta, TurnRole } from './sessions.js';
export {
  SERVICE_CONFIGS,
  checkSettings,
  redacted,
  settings,
  settingsExample,
  settingsReference,
  type ServiceName,
  type Setting,
} from './settings.js';
export { SETTINGS_FILE, mergeSettings, withSettingsFile, type Environment } from './settings-file.js';
export { BACKUP_FORMAT, BACKUP_MANIFEST, BACKUP_MEDIA_TYPE, BackupManifest, MakeBackup, Restored } from './backup.js';
export { DoctorCheck, DoctorReport } from './doctor.js';
export { Grant, GrantList } from './grants.js';
export { COMMAND_MAX_CHARS } from './limits.js';
export { CreateSchedule, Overlap, Schedule, ScheduleList } from './schedules.js';
export { FetchSignIn, SignIn, SignInState } from './sign-in.js';
export { invariant } from './invariant.js';
export { visibleText } from './visible-text.js';
