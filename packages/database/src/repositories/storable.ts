const NUL_OR_LONE_SURROGATE = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Text as Postgres can hold it: NUL and halves of surrogate pairs become U+FFFD. Commands and models print both. */
export function storable(text: string): string {
  return text.replaceAll(NUL_OR_LONE_SURROGATE, '\uFFFD');
}

/** JSON as `jsonb` can hold it, or null for null and undefined. */
export function storableJson(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'string' ? storable(inner) : inner));
}
