import { readFileSync } from 'node:fs';
import { parseConfig } from '@aish/contracts/config/parse-config';
import { VERSION } from '@aish/contracts/health';
import { keepTimeoutsAlive } from '@aish/contracts/lasting-timeouts';
import { isAishError } from '@aish/contracts/problems';
import { redacted } from '@aish/contracts/settings';
import { startTelemetry, type Telemetry } from '@aish/telemetry';
import type { DestinationStream, Level } from 'pino';
import type { z } from 'zod';
import { bearerMatches } from './bearer.js';
import { createLogger, type Logger } from './logger.js';
import type { MetricsSource } from './metrics-route.js';

/** The settings of every service. */
export interface ServiceSettings {
  readonly LOG_LEVEL: Level;
  readonly METRICS_TOKEN?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
}

/** The objects that a service gets when it starts. */
export interface ServiceProcess<C> {
  readonly config: C;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
  readonly readText: (path: string) => string;
}

/** Options for a service that starts without its own process. */
export interface StartOptions<Waits> {
  /** The environment that the settings came from. Git and other programs also get it. */
  readonly env?: NodeJS.ProcessEnv;
  /** Whether SIGTERM ends the process, as in `startService`. Default: true. */
  readonly handleSignals?: boolean;
  /** Waiting times that differ from the defaults. */
  readonly waits?: Partial<Waits>;
}

const readText = (path: string): string => readFileSync(path, 'utf8');

/**
 * Reads the settings of a service from `env`, opens its log and logs the settings.
 *
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
 * Runs the whole `main` of a service: reads its settings from the environment, opens log and telemetry, and starts it.
 *
 *   await runMain('sandbox', SandboxConfig, ({ config, logger, telemetry }) => startSandbox(config, logger, …));
 *
 * If that fails, the process exits with code 1 and writes the reason to stderr: one sentence if people can fix the
 * error, otherwise the stack.
 */
export async function runMain<S extends z.ZodObject & z.ZodType<ServiceSettings>>(
  name: string,
  schema: S,
  start: (process: ServiceProcess<z.infer<S>>) => Promise<unknown>,
): Promise<void> {
  keepTimeoutsAlive();
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

/** Returns the source for `GET /metrics` with METRICS_TOKEN. Without that token the route is off. */
export function metricsFor(telemetry: Telemetry, { METRICS_TOKEN: token }: ServiceSettings): MetricsSource | undefined {
  if (token === undefined) return undefined;
  const mayRead = (authorization: string | undefined) => bearerMatches(authorization, token);
  return { prometheus: () => telemetry.prometheus(), mayRead };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return isAishError(error) || 'code' in error ? error.message : (error.stack ?? error.message);
}
