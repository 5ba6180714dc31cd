export { measured, observe, type Count, type Labels, type Measure, type Observed } from './instruments.js';
export { inSpan } from './span.js';
export { startTelemetry, type Telemetry, type TelemetryOptions } from './start-telemetry.js';
