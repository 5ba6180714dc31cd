const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
const ORG = /^[[<](\d{4})-(\d{2})-(\d{2})(?: [^\s\]>\d]+)?(?: (\d{1,2}):(\d{2}))?[\]>]$/;
const ISO = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** An inactive org timestamp, in UTC and to the minute, as Emacs writes them: `[2026-05-24 Sun 03:30]`. */
export function orgTimestamp(at: Date): string {
  const iso = at.toISOString();
  return `[${iso.slice(0, 10)} ${DAYS[at.getUTCDay()]} ${iso.slice(11, 16)}]`;
}

/** The moment that an org timestamp or an ISO 8601 date names, as ISO in UTC; null when it names none. */
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

/** A date that does not exist (the 31st of June) is none, though JavaScript would take it for the next month. */
function real(iso: string, day: string | null): string | null {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return null;
  const whole = at.toISOString();
  return day === null || whole.startsWith(day) ? whole : null;
}
