/** From minute `from` to minute `to` of the day, over midnight where `to` is smaller. */
export interface QuietHours {
  readonly from: number;
  readonly to: number;
}

/** `22:00-07:00`, in the form that the configuration has checked. Equal ends mean never. */
export function parseQuietHours(text: string | undefined): QuietHours | null {
  const parts = /^(\d\d):(\d\d)-(\d\d):(\d\d)$/.exec(text ?? '');
  if (parts === null) return null;
  const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = parts.slice(1).map(Number);
  const hours = { from: fromHour * 60 + fromMinute, to: toHour * 60 + toMinute };
  return hours.from === hours.to ? null : hours;
}

/** The first moment from `now` on that is not quiet, in local time. */
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
