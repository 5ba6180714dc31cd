const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
const ORG = /^[[<](\d{4})-(\d{2})-(\d{2})(?: [^\s\]>\d]+)?(?: (\d{1,2}):(\d{2}))?[\]>]$/;
const ISO = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** Returns an inactive org timestamp, in UTC and to the minute, in Emacs's format: `[2026-05-24 Sun 03:30]`. */
export function orgTimestamp(at: Date): string {
  const iso = at.toISOString();
  return `[${iso.slice(0, 10)} ${DAYS[at.getUTCDay()]} ${iso.slice(11, 16)}]`;
}

/** Returns the time of an org timestamp or an ISO 8601 date, as ISO in UTC; null if the text is neither. */
export function timestampIso(text: string): string | null {
  const match = ORG.exec(text.trim());
  if (match !== null) {
    const [, year, month, day, hour = '00', minute = '00'] = match;
    return real(`${year}-${month}-${day}T${hour.padStart(2, '0')}:${minute}:00.000Z`, `${year}-${month}-${day}`);
  }
  const iso = text.trim();
  if (!ISO.test(iso)) return null;
  return real(iso.length > 10 && !/[Z+-]\d*:?\d*$/.test(iso.slice(16)) ? `${iso}Z` : iso, null);
}

/** Returns null for a date that does not exist (the 31st of June), which JavaScript would move to the next month. */
function real(iso: string, day: string | null): string | null {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return null;
  const whole = at.toISOString();
  return day === null || whole.startsWith(day) ? whole : null;
}
