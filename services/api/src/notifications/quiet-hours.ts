/** A period from minute `from` to minute `to` of the day. It spans midnight if `to` is smaller. */
export interface QuietHours {
  readonly from: number;
  readonly to: number;
}

/**
 * Parses quiet hours like `22:00-07:00`, which the configuration has already validated. Equal ends mean no quiet hours.
 */
export function parseQuietHours(text: string | undefined): QuietHours | null {
  const parts = /^(\d\d):(\d\d)-(\d\d):(\d\d)$/.exec(text ?? '');
  if (parts === null) return null;
  const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = parts.slice(1).map(Number);
  const hours = { from: fromHour * 60 + fromMinute, to: toHour * 60 + toMinute };
  return hours.from === hours.to ? null : hours;
}

/** Returns the first moment from `now` on that is outside the quiet hours, in local time. */
export function firstLoudMoment(now: Date, quiet: QuietHours | null): Date {
  if (quiet === null) return now;
  const minute = now.getHours() * 60 + now.getMinutes();
  const overMidnight = quiet.from > quiet.to;
  const isQuiet = overMidnight ? minute >= quiet.from || minute < quiet.to : minute >= quiet.from && minute < quiet.to;
  if (!isQuiet) return now;
  const end = new Date(now);
  end.setHours(Math.floor(quiet.to / 60), quiet.to % 60, 0, 0);
  if (end <= now) end.setDate(end.getDate() + 1);
  return end;
}

/** Returns whether a notification had to wait for the morning. */
export function wasHeld(
  { createdAt, isUrgent }: { readonly createdAt: Date; readonly isUrgent: boolean },
  quiet: QuietHours | null,
): boolean {
  return !isUrgent && firstLoudMoment(createdAt, quiet) > createdAt;
}
