export { measured, type Count, type Labels, type Measure } from './instruments.js';
export { observe, type Observed } from './observe.js';
export { inSpan } from './span.js';
export { startTelemetry, type Telemetry, type TelemetryOptions } from './start-telemetry.js';
