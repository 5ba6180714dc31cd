const texts = new WeakMap<object, string>();

/** Returns the cached JSON of an immutable value. Tool descriptions are measured and sent again and again. */
export function jsonTextOf(value: object): string {
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  texts.set(value, text);
  return text;
}

const KEPT = 50;
const values = new Map<string, unknown>();

/**
 * Parses JSON that is needed many times. The same text gives the same object, so that `jsonTextOf` finds its parts in
 * the cache. Callers must not change it.
 *
 * @throws SyntaxError
 */
export function jsonValueOf(text: string): unknown {
  if (values.has(text)) return values.get(text);
  const value: unknown = JSON.parse(text);
  values.set(text, value);
  const [oldest] = values.keys();
  if (values.size > KEPT && oldest !== undefined) values.delete(oldest);
  return value;
}

/** Whether a text can be the arguments of a tool. */
export function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
