import { readFileSync } from 'node:fs';
import { SandboxConfig, isAishError, parseConfig, redacted } from '@aish/contracts';
import { createLogger } from '@aish/http';
import { startTelemetry } from '@aish/telemetry';
import { startSandbox } from './start-sandbox.js';

const readText = (path: string | URL) => readFileSync(path, 'utf8');

try {
  const config = parseConfig(SandboxConfig, process.env, readText);
  const { version } = JSON.parse(readText(new URL('../package.json', import.meta.url))) as { version: string };
  const logger = createLogger(config.LOG_LEVEL, 'sandbox');
  logger.info({ settings: redacted(config) }, 'configuration');
  const otlpEndpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  const telemetry = await startTelemetry({ service: 'sandbox', version, otlpEndpoint });
  await startSandbox(config, logger, { version, handleSignals: true, telemetry });
} catch (error) {
  const isExpected = isAishError(error) || (error instanceof Error && 'code' in error);
  process.stderr.write(
    `sandbox: ${error instanceof Error ? (isExpected ? error.message : error.stack) : String(error)}\n`,
  );
  process.exit(1);
}
