export { EMPTY_ANSWER, addChunk, collectAnswer, type Answer, type ToolCall } from './answer.js';
export type { Broker, ChatChunk, ChatMessage, ChatRequest, FinishReason } from './broker.port.js';
export { HttpBroker } from './http.broker.js';
