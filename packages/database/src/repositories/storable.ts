const NUL_OR_LONE_SURROGATE = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Text as Postgres can hold it: NUL and halves of surrogate pairs become U+FFFD. Commands and models print both. */
export function storable(text: string): string {
  return text.replaceAll(NUL_OR_LONE_SURROGATE, '\uFFFD');
}

/** JSON as `jsonb` can hold it, or null for null and undefined. */
export function storableJson(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  // Both are escaped in JSON, so that a text without such an escape has neither. Looking at each string takes far longer.
  const json = JSON.stringify(value);
  if (!/\\u(?:0000|d[89a-f])/i.test(json)) return json;
  return JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'string' ? storable(inner) : inner));
}
