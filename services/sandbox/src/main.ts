import { readFileSync } from 'node:fs';
import { SandboxConfig, VERSION, isAishError, keepTimeouts, parseConfig, redacted } from '@aish/contracts';
import { createLogger } from '@aish/http';
import { startTelemetry } from '@aish/telemetry';
import { startSandbox } from './start-sandbox.js';

const readText = (path: string) => readFileSync(path, 'utf8');

keepTimeouts();
try {
  const config = parseConfig(SandboxConfig, process.env, readText);
  const logger = createLogger(config.LOG_LEVEL, 'sandbox');
  logger.info({ settings: redacted(config) }, 'configuration');
  const otlpEndpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  const telemetry = await startTelemetry({ service: 'sandbox', version: VERSION, otlpEndpoint });
  await startSandbox(config, logger, { version: VERSION, handleSignals: true, telemetry });
} catch (error) {
  const isExpected = isAishError(error) || (error instanceof Error && 'code' in error);
  process.stderr.write(
    `sandbox: ${error instanceof Error ? (isExpected ? error.message : error.stack) : String(error)}\n`,
  );
  process.exit(1);
}
