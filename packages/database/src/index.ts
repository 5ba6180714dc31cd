export type { Tx } from './tx.js';
export { askMeanwhile, type AskingPlace } from './ask-meanwhile.js';
export {
  LockNamespace,
  lockInTransaction,
  lockedKeys,
  withAdvisoryLock,
  type LockOptions,
  inLockedStatement,
} from './advisory-lock.js';
export { connectDatabase, type ConnectOptions, type Database } from './client.js';
export { inTransaction, type TransactionOptions } from './transaction.js';
export {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from './embedded/embedded-postgres.js';
export { MIGRATIONS_DIR, SCHEMA_FILE } from './migrations/folder.js';
export { migrate, requireSchema, type MigrateOptions, type MigrateProgress } from './migrations/migrate.js';
export { appendEvents, lastEventSeq, listEvents, recordEvents } from './repositories/events.repository.js';
export { appendTurn, listTurns, appendTurns } from './repositories/turns.repository.js';
export {
  findGoal,
  insertGoal,
  listForgotten,
  listGoals,
  lockAsDriver,
  lockGoal,
  raiseEpoch,
  supersedeDriver,
  toGoal,
  type GoalRow,
  breakGoal,
  editGoal,
  goalBefore,
  haltExpiryOf,
  hasScheduledGoal,
  setGoalOffered,
  type NewGoal,
} from './repositories/goals.repository.js';
export {
  findCommand,
  listActions,
  listSteps,
  newestStep,
  pendingOf,
  toActionRequest,
  type ActionRow,
  editAction,
  recentActions,
} from './repositories/steps.repository.js';
export {
  writeSessionRecord,
  type ActionChange,
  type AnsweredStep,
  type GoalChange,
  type SessionRecord,
} from './repositories/session-record.repository.js';
export {
  decide,
  findDecision,
  insertDecision,
  listDecisions,
  wasApproved,
  withdrawDecisions,
  hasPendingDecision,
  listExpired,
} from './repositories/decisions.repository.js';
export { appendAudit, listAudit } from './repositories/audit.repository.js';
export {
  countOtherAdmins,
  countTokens,
  describeToken,
  findToken,
  mustHold,
  refusedToken,
  insertToken,
  listTokens,
  projectsOfTokenName,
  revokeToken,
  tokenNameTaken,
  touchToken,
  type ApiTokenRow,
  keepToken,
  takeToken,
  callerNamed,
} from './repositories/tokens.repository.js';
export {
  countActive,
  findEntry,
  forgetAll,
  importEntries,
  itemsByNumber,
  findToldBackground,
  type ToldBackground,
  listActiveItems,
  listAllItems,
  listEntries,
  markAllForgotten,
  nearDuplicates,
  replacementOf,
  toMemoryItem,
  type ImportedEntry,
  type ItemFilter,
  type MemoryEntryRow,
  type NewItem,
  listOwners,
  applyEntryChanges,
  type EntryChange,
  type EntryGiven,
} from './repositories/memory-items.repository.js';
export {
  candidateOfItem,
  countPendingCandidates,
  decideCandidate,
  findCandidate,
  insertCandidate,
  listCandidates,
  contentsSeenBefore,
  type NewCandidate,
} from './repositories/memory-candidates.repository.js';
export {
  addToBackground,
  findBackground,
  putBackground,
  readRecord,
  type RecordTurn,
  unsummarized,
  describeSession,
  type SessionFacts,
  type KeptBackground,
} from './repositories/memory-sessions.repository.js';
export {
  archiveOfVersion,
  describeDocuments,
  findDocument,
  forgetReplaced,
  insertArchive,
  listHeadings,
  listLargeDocuments,
  readArchive,
  readDocument,
  readSlice,
  writeDocument,
  type DocumentKey,
  type DocumentRow,
  type OutlineEntry,
  ensureDocument,
  findHeadings,
  type FoundHeading,
} from './repositories/memory-documents.repository.js';
export { dumpDatabase, type DatabaseDump, type DumpedSequence, type DumpedTable } from './dump/dump.js';
export { restoreDatabase, type DumpContents, type LoadTable, type RestoreOptions } from './dump/restore.js';
export {
  clearKnowledge,
  countKnowledgeNodes,
  countUncurated,
  knowledgeIndexState,
  putKnowledgeNodes,
  removeKnowledgePaths,
  setKnowledgeIndexState,
  type KnowledgeNodeRow,
  tidyKnowledge,
} from './repositories/knowledge-nodes.repository.js';
export {
  findKnowledgeNode,
  knowledgeGraph,
  knowledgeStatistics,
  searchKnowledge,
  type KnowledgeGraphRow,
  type KnowledgeLinkRow,
  type KnowledgeReader,
  type KnowledgeSearch,
  type KnowledgeStatistics,
  type KnowledgeWay,
  type WeighedPlace,
  listKnowledge,
} from './repositories/knowledge-search.repository.js';
export {
  claimDue,
  forgetOldNotifications,
  noteWhatHappened,
  openChannels,
  settleNotification,
  signingKey,
  type DueNotification,
} from './repositories/notifications.repository.js';
export { findSessionSandbox, sandboxPlaces, setCarryOver } from './repositories/session-sandbox.repository.js';
export {
  frequentLexemes,
  lexemesOf,
  searchBySpelling,
  searchByWords,
  type ScoredItem,
  type SearchTerm,
} from './repositories/memory-search.repository.js';
export {
  deleteMcpServer,
  insertMcpServer,
  listMcpServers,
  readMcpAuthorization,
  writeMcpAuthorization,
  type McpServerRow,
} from './repositories/mcp.repository.js';
export { findApprovals, saveApproval } from './repositories/approvals.repository.js';
export {
  closeFollowUp,
  openFollowUp,
  appendDrafts,
  clearDraft,
  findChat,
  insertChat,
  listForgottenChats,
  lockAsChatDriver,
  lockChat,
  raiseChatEpoch,
  setChatSettings,
  setGrants,
  type ChatRow,
} from './repositories/chats.repository.js';
export {
  acceptMessage,
  listRecentTurns,
  type Accepted,
  type Message,
} from './repositories/accept-message.repository.js';
export { findFit, saveFit } from './repositories/fits.repository.js';
export { findResult, keepResult, type KeptResultRow, keptResults } from './repositories/results.repository.js';
export {
  copyTurns,
  deleteSession,
  findSession,
  insertTurns,
  listHistory,
  listSessions,
  renameSession,
} from './repositories/sessions.repository.js';
export { SharedLocks, type HeldLock } from './shared-locks.js';
export { listSessionIds } from './repositories/sessions-list.repository.js';
export { findGrant, insertGrant, listGrants, revokeGrant, useGrant } from './repositories/grants.repository.js';
export {
  confirmSignIn,
  countSignIns,
  findSignIn,
  identifySignIn,
  insertSignIn,
  takeSignIn,
  type SignInRow,
} from './repositories/sign-ins.repository.js';
export {
  countSkipped,
  deleteSchedule,
  findSchedule,
  hasOpenGoal,
  insertSchedule,
  listSchedules,
  lockSchedule,
  type ScheduleRecord,
} from './repositories/schedules.repository.js';
