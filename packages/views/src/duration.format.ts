const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats a duration: `340 ms`, `2.4 s`, `1 min 5 s`, `2 h 3 min`, `3 d 4 h`. */
export function formatDuration(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return two(ms, MINUTE, 'min', SECOND, 's');
  if (ms < DAY) return two(ms, HOUR, 'h', MINUTE, 'min');
  return two(ms, DAY, 'd', HOUR, 'h');
}

/** Formats an age in at most four characters: `now`, `12s`, `5m`, `2h`, `30d`. */
export function formatAge(at: string, nowMs: number): string {
  const ms = nowMs - Date.parse(at);
  if (ms < SECOND) return 'now'; // The server's clock may be ahead of this one.
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)}s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m`;
  return ms < 2 * DAY ? `${Math.floor(ms / HOUR)}h` : `${Math.floor(ms / DAY)}d`;
}

/** Formats a moment in local time: `2026-11-20 14:03:12`. */
export function formatMoment(at: string): string {
  const date = new Date(at);
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(padded).join('-');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(padded).join(':')}`;
}

function two(ms: number, big: number, bigUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((ms % big) / small);
  return `${Math.floor(ms / big)} ${bigUnit}${rest > 0 ? ` ${rest} ${smallUnit}` : ''}`;
}

function padded(value: number): string {
  return String(value).padStart(2, '0');
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses `90s`, `30m`, `2h` or `3d` to milliseconds; undefined for other text. */
export function readDuration(text: string): number | undefined {
  const [, count, unit = ''] = /^([1-9]\d{0,6})([smhd])$/.exec(text) ?? [];
  const ms = UNITS[unit];
  return count === undefined || ms === undefined ? undefined : Number(count) * ms;
}
