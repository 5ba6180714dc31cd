export { ACTION_CALLS, actionOfCall, actionOfCommand, linesOfAction } from './action-calls.js';
export { EMPTY_ANSWER, addChunk, collectAnswer, type Answer, type AnswerToolCall } from './answer.js';
export {
  Asker,
  DEFAULT_CONTEXT_TOKENS,
  type AskChunk,
  type AskRequest,
  type Composed,
  type Room,
  type Understood,
} from './ask.js';
export { AnswerDecoder } from './answer.decoder.js';
export type {
  AnswerStream,
  Broker,
  ChatChunk,
  ChatMessage,
  ChatRequest,
  FinishReason,
  ToolDefinition,
} from './broker.port.js';
export { embed, type Embedded } from './embed.js';
export { isIdle } from './idle.js';
export { CapabilityStore, type CapabilityRows } from './capability.store.js';
export { HttpBroker } from './http.broker.js';
export { readObject, type Mended } from './repair-json.js';
export { resolveToolName, salvage, type Salvaged } from './salvage.js';
export { callAsText, shapeMessages, usesTextTools } from './shape.js';
export { TokenCounter, estimateTokens } from './token.counter.js';
