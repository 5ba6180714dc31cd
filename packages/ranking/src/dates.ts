const MONTHS = 'january february march april may june july august september october november december'.split(' ');
const MONTH = `(${MONTHS.map((month) => `${month.slice(0, 3)}(?:${month.slice(3)})?`).join('|')}|sept)`;
const DAY = String.raw`(\d{1,2})(?:st|nd|rd|th)?`;
const YEAR = String.raw`((?:19|20)\d\d)`;

/*
 * Notes are also found by their day: `on:2026-05-24`, `on:05-24`, `in:2026-05`, `in:05`, `in:2026`. The SQL function
 * `memory_when` gives the rows these words.
 */
const FORMS: readonly { readonly pattern: RegExp; readonly read: (parts: readonly string[]) => string }[] = [
  { pattern: new RegExp(String.raw`\b${YEAR}-(\d\d)-(\d\d)\b`, 'g'), read: ([y, m, d]) => `on:${y}-${m}-${d}` },
  { pattern: new RegExp(String.raw`\b${YEAR}-(\d\d)\b(?!-\d)`, 'g'), read: ([y, m]) => `in:${y}-${m}` },
  {
    pattern: new RegExp(String.raw`\b${DAY}(?: of)? ${MONTH},? ${YEAR}\b`, 'gi'),
    read: ([d = '', m = '', y]) => `on:${y}-${numberOf(m)}-${two(d)}`,
  },
  {
    pattern: new RegExp(String.raw`\b${MONTH} ${DAY},? ${YEAR}\b`, 'gi'),
    read: ([m = '', d = '', y]) => `on:${y}-${numberOf(m)}-${two(d)}`,
  },
  { pattern: new RegExp(String.raw`\b${MONTH},? ${YEAR}\b`, 'gi'), read: ([m = '', y]) => `in:${y}-${numberOf(m)}` },
  {
    pattern: new RegExp(String.raw`\b${DAY}(?: of)? ${MONTH}\b`, 'gi'),
    read: ([d = '', m = '']) => `on:${numberOf(m)}-${two(d)}`,
  },
  {
    pattern: new RegExp(String.raw`\b${MONTH} ${DAY}\b(?!:)`, 'gi'),
    read: ([m = '', d = '']) => `on:${numberOf(m)}-${two(d)}`,
  },
  { pattern: new RegExp(String.raw`\b(?:in|of|since|last) ${MONTH}\b`, 'gi'), read: ([m = '']) => `in:${numberOf(m)}` },
  { pattern: new RegExp(String.raw`\b(?:in|of|since) ${YEAR}\b`, 'gi'), read: ([y]) => `in:${y}` },
];

/** The dates in a question, and the question without them. */
export interface Dated {
  /** The named days, months and years as words. At each place only the most exact one counts. */
  readonly tokens: readonly string[];
  readonly rest: string;
}

export function dated(question: string, now: Date): Dated {
  const tokens: string[] = [];
  let rest = question;
  for (const { pattern, read } of FORMS) {
    rest = rest.replaceAll(pattern, (...found: unknown[]) => {
      tokens.push(
        read(
          found
            .slice(1)
            .filter((part): part is string => typeof part === 'string')
            .slice(0, 3),
        ),
      );
      return ' ';
    });
  }
  for (const [word, daysAgo] of [
    ['today', 0],
    ['yesterday', 1],
  ] as const) {
    const named = new RegExp(`\\b${word}\\b`, 'gi');
    if (!named.test(rest)) continue;
    rest = rest.replaceAll(named, ' ');
    tokens.push(`on:${new Date(now.getTime() - daysAgo * 86_400_000).toISOString().slice(0, 10)}`);
  }
  return { tokens: [...new Set(tokens)], rest };
}

function numberOf(month: string): string {
  return two(String(MONTHS.findIndex((each) => each.startsWith(month.slice(0, 3).toLowerCase())) + 1));
}

function two(number: string): string {
  return number.padStart(2, '0');
}
