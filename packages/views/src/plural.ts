/** `1 goal`, `2 goals`. It stands alone: the first screen of the terminal waits for it, and for no schema. */
export function plural(count: number, singular: string, many = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : many}`;
}
