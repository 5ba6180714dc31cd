export { LockNamespace, lockInTransaction, lockedKeys, withAdvisoryLock, type LockOptions } from './advisory-lock.js';
export {
  connectDatabase,
  inTransaction,
  type ConnectOptions,
  type Database,
  type TransactionOptions,
  type Tx,
} from './client.js';
export {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from './embedded/embedded-postgres.js';
export { MIGRATIONS_DIR, SCHEMA_FILE } from './migrations/folder.js';
export { migrate, type MigrateOptions, type MigrateProgress } from './migrations/migrate.js';
export { appendEvents, lastEventSeq, listEvents } from './repositories/events.repository.js';
export { appendTurn, listTurns } from './repositories/turns.repository.js';
export {
  findGoal,
  insertGoal,
  listForgotten,
  listGoals,
  lockAsDriver,
  lockGoal,
  raiseEpoch,
  setGoalState,
  setProgress,
  supersedeDriver,
  toGoal,
  type GoalRow,
} from './repositories/goals.repository.js';
export {
  answerStep,
  insertStep,
  listActions,
  listSteps,
  newestStep,
  setActionState,
  setClassification,
} from './repositories/steps.repository.js';
export {
  decide,
  findDecision,
  insertDecision,
  listDecisions,
  withdrawDecisions,
} from './repositories/decisions.repository.js';
export { countTokens, findToken, insertToken, touchToken, type ApiTokenRow } from './repositories/tokens.repository.js';
