const texts = new WeakMap<object, string>();

/** The JSON of what never changes, written once: descriptions of tools are measured and sent over and over. */
export function jsonTextOf(value: object): string {
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  texts.set(value, text);
  return text;
}
