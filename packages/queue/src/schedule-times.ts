import { AishError } from '@aish/contracts/problems';
import { CronExpressionParser } from 'cron-parser';

/** When something is due: a cron pattern of five fields, or six with seconds first, in a time zone. */
export interface ScheduleTimes {
  readonly cron: string;
  /** IANA name, as Europe/Berlin. */
  readonly timezone: string;
}

/**
 * When it is due next after `from`.
 * @throws AishError `invalid_body` for a pattern or a time zone that there is none of, or that is never due.
 */
export function nextTime({ cron, timezone }: ScheduleTimes, from: Date): Date {
  try {
    return CronExpressionParser.parse(cron, { currentDate: from, tz: timezone }).next().toDate();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new AishError(
      'invalid_body',
      `There is no such time: "${cron}" in ${timezone}: ${message}`,
      { errors: [{ path: 'cron', message }] },
      { cause },
    );
  }
}
