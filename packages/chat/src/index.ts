export { ChatDriver } from './driver.js';
export { advanceChat } from './machine/advance.js';
export type { ChatEvent } from './machine/events.js';
export type { ChatMachine } from './machine/state.js';
export {
  CHAT_WAITS,
  type Background,
  type ChatPorts,
  type ChatSettings,
  type ChatWaits,
  type Outlet,
} from './ports.js';
export type { Recorded } from './record.js';
