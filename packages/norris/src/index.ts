export type { ActPorts } from './acts/context.js';
export { announceBoundary } from './announce.js';
export { BOUNDARIES, type AtBoundary, type Boundary } from './boundaries.js';
export { createGoal, type GoalToCreate } from './create-goal.js';
export { type DriveResult, type DriverPorts, type DriverSettings } from './drive.js';
export { Driver } from './driver.js';
export { goalMarkdown } from './export-goal.js';
export { summarizeRecord } from './summarize-record.js';
export { SafetyGate, type GateSettings, type SecondOpinionMode } from './gate.js';
export { decisionTaken, giveVerdict, type GivenVerdict, type VerdictToGive } from './give-verdict.js';
export { loadGoal, type LoadedGoal } from './load.js';
export { advance } from './machine/advance.js';
export type {
  ActEffect,
  Advance,
  CountedConnection,
  Ending,
  GoalEvent,
  Judgement,
  NewAction,
  RecordEffect,
} from './machine/events.js';
export { FRESH, type GoalMachine, type MachineAction, type MachineStep } from './machine/state.js';
export { ModelSlots } from './model-slots.js';
export { record, type RecordContext, type Recorded } from './record.js';
export { NO_TOOLS, type GoalTools, type OfferedTool, type PreparedCall, type ToolPolicy } from './tools.port.js';
export { withMachine, type Changed } from './with-machine.js';
