export { Driver, type DriveResult, type DriverPorts, type DriverSettings } from './driver.js';
export { SafetyGate, type GateSettings, type SecondOpinionMode } from './gate.js';
export { loadGoal, type LoadedGoal } from './load.js';
export {
  advance,
  type ActEffect,
  type Advance,
  type GoalEvent,
  type GoalMachine,
  type MachineAction,
  type MachineStep,
  type RecordEffect,
} from './machine.js';
export { record, type RecordContext, type Recorded } from './record.js';
