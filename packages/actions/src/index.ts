export type {
  Action,
  ActionEffect,
  ActionEvent,
  ActionGrant,
  ActionRecord,
  Ending,
  Judgement,
  Killed,
  NewAction,
} from './action.js';
export { pauseMs } from './backoff.js';
export { noteBans } from './bans.js';
export {
  BOUNDARIES,
  INTAKE_BOUNDARIES,
  announceBoundary,
  type AtBoundary,
  type Boundary,
  type IntakeBoundary,
} from './boundaries.js';
export { type ActionContext, type ActionPorts, type HostPorts, type Permissions } from './context.js';
export { ActionEngine, type Performed } from './engine.js';
export { openInSpace, type NewAccess } from './open-in-space.js';
export { sessionSecrets, type SessionSecrets } from './session-secrets.js';
export { SafetyGate, gateSettings, type GateSettings, type SecondOpinionMode } from './gate.js';
export { dropPreview, settleLeft } from './held.js';
export { HostAuthority } from './hosts/authority.js';
export { killCommands } from './kill.js';
export { classified, next, proposed } from './life/begin.js';
export { askNext, decided } from './life/decide.js';
export { closeActions, ended, killed } from './life/end.js';
export { askNeed, needNotices } from './life/need.js';
export type { Change, LifePolicy } from './life/policy.js';
export { HALT_AT, NOTICE_AT, type RecentAction } from './life/repeats.js';
export {
  atServer,
  changeAction,
  find,
  hasEnded,
  currentAction,
  isCalling,
  noChange,
  type ActionMachine,
  type Advance,
} from './life/step.js';
export { noteRecords, resultTurn, modelNotice } from './life/model-turns.js';
export { loadRecent, loadStep, type LoadedStep } from './load.js';
export { forbidsGrants } from './forbids-grants.js';
export { newActions } from './new-actions.js';
export { RecordDraft, isActionRecord, isOneStatement, type RecordPlace } from './record.js';
export { bindingAtStart } from './execution-context.js';
