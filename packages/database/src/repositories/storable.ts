const NUL_OR_LONE_SURROGATE = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/**
 * Returns text in a form that Postgres can store: NUL and lone surrogates become U+FFFD. Commands and models print
 * both.
 */
export function storable(text: string): string {
  return text.replaceAll(NUL_OR_LONE_SURROGATE, '\uFFFD');
}

/** Returns JSON in a form that `jsonb` can store, or null for null and undefined. */
export function storableJson(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  // JSON escapes both characters, so a text without such an escape contains neither. Checking each string would take
  // far longer.
  const json = JSON.stringify(value);
  if (!/\\u(?:0000|d[89a-f])/i.test(json)) return json;
  return JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'string' ? storable(inner) : inner));
}
