export {
  ApiConfig,
  DEFAULT_MODEL_URL,
  SandboxConfig,
  WorkerConfig,
  parseConfig,
  presetNamed,
  presetsOf,
  type Preset,
} from './config.js';
export { Decision, DecisionList, DecisionState, GiveVerdict, ListDecisions, Verdict } from './decisions.js';
export { EventBody, LiveBody, Notice, SessionEvent, type EventType } from './events.js';
export {
  Action,
  ActionState,
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
  RunOutcome,
  Step,
  Usage,
  WaitingFor,
  isTerminal,
} from './goals.js';
export { Check, Health, VERSION } from './health.js';
export { advanceGoal, type AdvanceGoal } from './jobs.js';
export { Model, ModelList, REHEARSAL_MODEL } from './models.js';
export { AishError, PROBLEMS, Problem, isAishError, toProblem, type ProblemCode } from './problems.js';
export {
  COMMAND_MAX_CHARS,
  DEFAULT_RUN_TIMEOUT_MS,
  RunFrame,
  RunRequest,
  RunStatus,
  SandboxStatus,
  type RunRequestInput,
} from './runs.js';
export { Classification, SafetyCheck, SafetyRule, SafetyRuleList } from './safety.js';
export { SessionKind, Turn, TurnRole } from './sessions.js';
export { Scope, allows } from './tokens.js';
