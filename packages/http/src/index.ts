export { bearerMatches, bearerToken } from './bearer.js';
export { PinoNestLogger, createLogger, type Logger } from './logger.js';
export { type MetricsSource } from './metrics-route.js';
export { probe } from './probe.js';
export { ProblemFilter } from './problem.filter.js';
export { acceptRawBodies, rawBody } from './arrival.js';
export {
  metricsFor,
  openService,
  runMain,
  type ServiceProcess,
  type ServiceSettings,
  type StartOptions,
} from './run-main.js';
export { SchemaPipe, checkInput } from './schema.pipe.js';
export { sendFile, untilGone, type SentFile } from './sending.js';
export { SseStream, type SseEvent, type SseOptions } from './sse-stream.js';
export {
  DEFAULT_BODY_LIMIT_BYTES,
  closeOnSignals,
  startService,
  type RunningService,
  type ServiceOptions,
} from './start-service.js';
