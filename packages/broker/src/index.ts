export type { Broker, ChatChunk, ChatMessage, ChatRequest, FinishReason } from './broker.port.js';
