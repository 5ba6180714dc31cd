import { readFileSync } from 'node:fs';
import { parseConfig } from '@aish/contracts/config/parse-config';
import { VERSION } from '@aish/contracts/health';
import { keepTimeouts } from '@aish/contracts/lasting-timeouts';
import { isAishError } from '@aish/contracts/problems';
import { redacted } from '@aish/contracts/settings';
import { startTelemetry, type Telemetry } from '@aish/telemetry';
import type { DestinationStream, Level } from 'pino';
import type { z } from 'zod';
import { bearerMatches } from './bearer.js';
import { createLogger, type Logger } from './logger.js';
import type { MetricsSource } from './metrics-route.js';

/** What the settings of every service have. */
export interface ServiceSettings {
  readonly LOG_LEVEL: Level;
  readonly METRICS_TOKEN?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
}

/** What a service begins with. */
export interface ServiceProcess<C> {
  readonly config: C;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
  readonly readText: (path: string) => string;
}

/** How a service starts where it does not have a process of its own. */
export interface StartOptions<Waits> {
  /** The environment that the settings came from; git and other programs get it too. */
  readonly env?: NodeJS.ProcessEnv;
  /** Whether SIGTERM ends the process, as `startService` does. The default is true. */
  readonly handleSignals?: boolean;
  /** Waits that differ from the defaults. */
  readonly waits?: Partial<Waits>;
}

const readText = (path: string): string => readFileSync(path, 'utf8');

/**
 * Reads the settings of a service from `env`, opens its log and writes the settings there.
 * @throws AishError `invalid_config`.
 */
export function openService<S extends z.ZodObject & z.ZodType<ServiceSettings>>(
  name: string,
  schema: S,
  env: NodeJS.ProcessEnv,
  destination?: DestinationStream,
): Omit<ServiceProcess<z.infer<S>>, 'telemetry'> {
  const config = parseConfig(schema, env, readText);
  const logger = createLogger(config.LOG_LEVEL, name, destination);
  logger.info({ settings: redacted(config) }, 'configuration');
  return { config, logger, readText };
}

/**
 * The whole `main` of a service: reads its settings from the environment, opens log and telemetry, and starts it.
 *
 *     await runMain('sandbox', SandboxConfig, ({ config, logger, telemetry }) => startSandbox(config, logger, …));
 *
 * If that fails the process ends with exit code 1, and says why on stderr: in one sentence when the error is one that
 * people can mend, with the stack else.
 */
export async function runMain<S extends z.ZodObject & z.ZodType<ServiceSettings>>(
  name: string,
  schema: S,
  start: (process: ServiceProcess<z.infer<S>>) => Promise<unknown>,
): Promise<void> {
  keepTimeouts();
  try {
    const opened = openService(name, schema, process.env);
    const otlpEndpoint = opened.config.OTEL_EXPORTER_OTLP_ENDPOINT;
    const telemetry = await startTelemetry({ service: name, version: VERSION, otlpEndpoint });
    await start({ ...opened, telemetry });
  } catch (error) {
    process.stderr.write(`${name}: ${reasonOf(error)}\n`);
    process.exit(1);
  }
}

/** `GET /metrics` for who knows METRICS_TOKEN; nothing without one. */
export function metricsFor(telemetry: Telemetry, { METRICS_TOKEN: token }: ServiceSettings): MetricsSource | undefined {
  if (token === undefined) return undefined;
  const mayRead = (authorization: string | undefined) => bearerMatches(authorization, token);
  return { prometheus: () => telemetry.prometheus(), mayRead };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return isAishError(error) || 'code' in error ? error.message : (error.stack ?? error.message);
}
