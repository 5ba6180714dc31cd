export { openBus, splitNotice, type EventBus } from './event-bus.js';
export {
  openQueue,
  type AddOptions,
  type JobHandler,
  type JobCounts,
  type JobDeclaration,
  type QueueStore,
  type QueueWorker,
} from './queue-store.js';
export { nextTime, type ScheduleTimes } from './schedule-times.js';
export { JOB_RECOVERY, type JobRecovery, type StoreOptions } from './store-options.js';
