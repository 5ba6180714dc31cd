export { ChatDriver } from './driver.js';
export { advanceChat, type ChatEvent, type ChatMachine } from './machine.js';
export type { ChatPorts, ChatSettings, Gate, Outlet } from './ports.js';
export type { Recorded } from './record.js';
