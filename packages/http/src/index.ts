export { bearerMatches, bearerToken } from './bearer.js';
export { PinoNestLogger, createLogger, type Logger } from './logger.js';
export { probe } from './probe.js';
export { ProblemFilter } from './problem.filter.js';
export { SchemaPipe } from './schema.pipe.js';
export { SseStream, type SseEvent, type SseOptions } from './sse-stream.js';
export { DEFAULT_BODY_LIMIT_BYTES, startService, type RunningService, type ServiceOptions } from './start-service.js';
