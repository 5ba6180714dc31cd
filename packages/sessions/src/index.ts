export { ChatRunner } from './chat/chat-runner.js';
export {
  CHAT_WAITS,
  type Background,
  type ChatPorts,
  type ChatSettings,
  type ChatWaits,
  type ChatListener,
} from './chat/chat-ports.js';
export type { ChatEvent } from './machine/chat/events.js';
export { askForStep } from './goal/ask-goal.js';
export { createGoal, type GoalToCreate } from './goal/create-goal.js';
export type { Advance, GoalEvent } from './machine/goal/events.js';
export type { GoalMachine } from './machine/goal/state.js';
export { goalMarkdown, summarizeRecord } from './goal/export-goal.js';
export { followUpOf, type FollowUp } from './goal/follow-up.js';
export { decisionTaken, giveVerdict, type GivenVerdict, type VerdictToGive } from './goal/give-verdict.js';
export { GoalRunner } from './goal/goal-runner.js';
export type { GoalRunResult, GoalRunPorts, GoalRunSettings } from './goal/goal-ports.js';
export { grantFrom } from './goal/grant.js';
export { notifyChats, notifyGiven } from './goal/notify-chats.js';
export { withMachine, type Changed } from './goal/with-machine.js';
export { ModelSlots } from './model-slots.js';
export { probeDialect } from './probe-capabilities.js';
export type { Recorded } from './record.js';
