/**
 * Formats a count: `1 goal`, `2 goals`. It is in its own file, because the terminal's first screen needs it without any
 * schema.
 */
export function plural(count: number, singular: string, many = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : many}`;
}
