export { openBus } from './bus.js';
export { openQueue } from './queue.js';
export type { AddOptions, EventBus, JobDeclaration, QueueStore, QueueWorker, StoreOptions } from './store.js';
