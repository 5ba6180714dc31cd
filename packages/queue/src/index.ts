export { openBus, splitNotice, type EventBus } from './event-bus.js';
export {
  openQueue,
  type AddOptions,
  type JobCounts,
  type JobDeclaration,
  type QueueStore,
  type QueueWorker,
} from './queue-store.js';
export type { StoreOptions } from './store-options.js';
