import type { LoggerService } from '@nestjs/common';
import { pino, type DestinationStream, type Level, type Logger } from 'pino';

export type { Logger } from 'pino';

const SECRETS = ['authorization', 'token', 'apiKey', 'password', 'headers.authorization', 'headers.cookie'];

/**
 * Creates a logger that writes one JSON line per entry to stdout (or `destination`). Fields that contain credentials
 * are redacted up to two levels deep. Do not put a secret into the message itself.
 */
export function createLogger(level: Level, name: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    name,
    redact: { paths: SECRETS.flatMap((path) => [path, `*.${path}`]), censor: '[redacted]' },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** Lets Nest log through pino. Nest passes the context (usually a class name) as the last parameter. */
export class PinoNestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    // Nest's startup messages do not help operators.
    this.write('debug', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  private write(level: Level, message: unknown, rest: readonly unknown[]): void {
    const strings = rest.filter((value): value is string => typeof value === 'string');
    const stack = strings.find((value) => value.includes('\n    at '));
    const context = strings.at(-1) === stack ? undefined : strings.at(-1);
    const fields = {
      ...(context === undefined ? {} : { context }),
      ...(stack === undefined ? {} : { stack }),
      ...(message instanceof Error ? { err: message } : {}),
    };
    if (message instanceof Error) this.logger[level](fields, message.message);
    else if (typeof message === 'string') this.logger[level](fields, message);
    else this.logger[level]({ ...fields, value: message });
  }
}
