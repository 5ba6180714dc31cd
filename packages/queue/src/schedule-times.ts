import { AishError } from '@aish/contracts/problems';
import { CronExpressionParser } from 'cron-parser';

/** The times of a schedule: a cron pattern of five fields, or six with seconds first, in a time zone. */
export interface ScheduleTimes {
  readonly cron: string;
  /** An IANA name, such as Europe/Berlin. */
  readonly timezone: string;
}

/**
 * Returns the next time after `from`.
 *
 * @throws AishError `invalid_body` for an invalid pattern or time zone, or a pattern that is never due.
 */
export function nextTime({ cron, timezone }: ScheduleTimes, from: Date): Date {
  try {
    return CronExpressionParser.parse(cron, { currentDate: from, tz: timezone }).next().toDate();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new AishError(
      'invalid_body',
      `The schedule "${cron}" in ${timezone} is not valid: ${message}`,
      { errors: [{ path: 'cron', message }] },
      { cause },
    );
  }
}
