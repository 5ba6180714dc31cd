import * as z from 'zod';

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const DAY_MINUTES = 1_440;
const WEEK_MINUTES = 7 * DAY_MINUTES;
const MINUTE_MS = 60_000;
/** More than any clock is ever put forward. */
const CLOCK_MOVES_MINUTES = 180;
/** A search for the next opening that takes more steps has gone astray. */
const STEPS_MAX = 1_000;

const CLOCK = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const Clock = z.string().regex(CLOCK, 'a time of the day, as 22:00');

/** Whether a clock on the wall can be told for this name, as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/**
 * When changes may be made: on these days, while a clock on the wall shows a time from `from` on and before `to`. Where `to` is not
 * after `from`, until that time of the next day.
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

/** Whether one of the windows is open at this moment. */
export function isOpen(windows: readonly ChangeWindow[], at: Date): boolean {
  return windows.some((window) => {
    const past = minutesSince(opensOf(window), clockOf(window, at));
    return past.some((minutes) => minutes < lengthOf(window));
  });
}

/** The first moment from `at` on, to the minute, at which one of them is open; null where there is none. */
export function nextOpening(windows: readonly ChangeWindow[], at: Date): Date | null {
  if (windows.length === 0) return null;
  let moment = at;
  for (let step = 0; step < STEPS_MAX; step++) {
    if (isOpen(windows, moment)) return moment;
    const wait = Math.min(...windows.map((window) => minutesUntilOpening(window, moment)));
    // The clock may be put forward on the way: the last stretch goes minute by minute.
    const minutes = Math.max(1, wait - CLOCK_MOVES_MINUTES);
    moment = new Date((Math.floor(moment.getTime() / MINUTE_MS) + minutes) * MINUTE_MS);
  }
  return null;
}

const WINDOW = /^([a-z]{3}(?:-[a-z]{3})?(?:,[a-z]{3}(?:-[a-z]{3})?)*|daily) (\S+?)-(\S+?)(?: (\S+))?$/;

/** `sat,sun 02:00-05:00 Europe/Berlin`, `mon-fri 22:00-06:00`, `daily 03:00-04:00`; null where it is none. */
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

/** None where a word is none of them. */
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

/** The minutes of the week at which it opens. */
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

/** The minute of the week that a clock on the wall shows. */
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
