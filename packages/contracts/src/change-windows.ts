import * as z from 'zod';

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const DAY_MINUTES = 1_440;
const WEEK_MINUTES = 7 * DAY_MINUTES;
const MINUTE_MS = 60_000;
/** The largest step by which any clock is put forward. */
const CLOCK_MOVES_MINUTES = 180;
/** Limits the search for the next opening. A search that takes more steps has a bug. */
const STEPS_MAX = 1_000;

const CLOCK = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const Clock = z.string().regex(CLOCK, 'must be a time of day, such as 22:00');

/** Whether this is a known time zone, for example `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/**
 * A time when changes may be made: on these days, from `from` until just before `to`, in local time. If `to` is not
 * after `from`, the window ends at that time on the next day.
 */
export const ChangeWindow = z
  .strictObject({
    days: z.array(z.enum(DAYS)).min(1).max(7),
    from: Clock,
    to: Clock,
    timezone: z.string().min(1).max(64).default('UTC'),
  })
  .meta({ id: 'ChangeWindow' });
export type ChangeWindow = z.infer<typeof ChangeWindow>;

/** Whether one of the windows is open at this time. */
export function isOpen(windows: readonly ChangeWindow[], at: Date): boolean {
  return windows.some((window) => {
    const past = minutesSince(opensOf(window), clockOf(window, at));
    return past.some((minutes) => minutes < lengthOf(window));
  });
}

/** The first minute from `at` on at which one of the windows is open; null if there is none. */
export function nextOpening(windows: readonly ChangeWindow[], at: Date): Date | null {
  if (windows.length === 0) return null;
  let moment = at;
  for (let step = 0; step < STEPS_MAX; step++) {
    if (isOpen(windows, moment)) return moment;
    const wait = Math.min(...windows.map((window) => minutesUntilOpening(window, moment)));
    // The clock may be put forward before the window opens, so the last part is searched minute by minute.
    const minutes = Math.max(1, wait - CLOCK_MOVES_MINUTES);
    moment = new Date((Math.floor(moment.getTime() / MINUTE_MS) + minutes) * MINUTE_MS);
  }
  return null;
}

const WINDOW = /^([a-z]{3}(?:-[a-z]{3})?(?:,[a-z]{3}(?:-[a-z]{3})?)*|daily) (\S+?)-(\S+?)(?: (\S+))?$/;

/** Parses `sat,sun 02:00-05:00 Europe/Berlin`, `mon-fri 22:00-06:00` or `daily 03:00-04:00`; null for anything else. */
export function parseWindow(text: string): ChangeWindow | null {
  const [, words = '', from = '', to = '', timezone = 'UTC'] = WINDOW.exec(text.trim()) ?? [];
  const groups = words === 'daily' ? [DAYS] : words.split(',').map(daysOf);
  const days = groups.flat();
  const isKnown = groups.every((group) => group.length > 0) && days.length <= DAYS.length;
  const isRight = isKnown && CLOCK.test(from) && CLOCK.test(to);
  return isRight && timezone.length <= 64 && isTimeZone(timezone) ? { days, from, to, timezone } : null;
}

export function formatWindow({ days, from, to, timezone }: ChangeWindow): string {
  return `${days.length === DAYS.length ? 'daily' : days.join(',')} ${from}-${to} ${timezone}`;
}

/** Returns the days that a text names; empty if one of its words is not a day. */
function daysOf(text: string): readonly ChangeWindow['days'][number][] {
  const [first = '', last = first] = text.split('-');
  const from = DAYS.findIndex((day) => day === first);
  const to = DAYS.findIndex((day) => day === last);
  if (from < 0 || to < 0) return [];
  return DAYS.filter((_, day) => (from <= to ? day >= from && day <= to : day >= from || day <= to));
}

function minutesOf(clock: string): number {
  return Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));
}

function lengthOf({ from, to }: ChangeWindow): number {
  const minutes = minutesOf(to) - minutesOf(from);
  return minutes > 0 ? minutes : minutes + DAY_MINUTES;
}

/** Returns the minutes of the week at which the window opens. */
function opensOf({ days, from }: ChangeWindow): readonly number[] {
  return days.map((day) => DAYS.indexOf(day) * DAY_MINUTES + minutesOf(from));
}

function minutesSince(opens: readonly number[], clock: number): readonly number[] {
  return opens.map((minute) => (clock - minute + WEEK_MINUTES) % WEEK_MINUTES);
}

function minutesUntilOpening(window: ChangeWindow, at: Date): number {
  const clock = clockOf(window, at);
  return Math.min(...opensOf(window).map((minute) => (minute - clock + WEEK_MINUTES) % WEEK_MINUTES));
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** Returns the minute of the week in local time. */
function clockOf({ timezone }: ChangeWindow, at: Date): number {
  let format = clocks.get(timezone);
  if (format === undefined) {
    const parts = { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    format = new Intl.DateTimeFormat('en-GB', { timeZone: timezone, ...parts });
    clocks.set(timezone, format);
  }
  const shown = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const day = DAYS.findIndex((name) => name === shown.get('weekday')?.toLowerCase());
  return day * DAY_MINUTES + Number(shown.get('hour')) * 60 + Number(shown.get('minute'));
}
