/** Returns the path `memory/2026-02-22-1530`, followed by a slug if there is one. */
export function archivePath(at: Date, slug?: string): string {
  const [day, time] = at.toISOString().split('T');
  const minute = (time ?? '').slice(0, 5).replace(':', '');
  return `memory/${day ?? ''}-${minute}${slug === undefined ? '' : `-${slug}`}`;
}

/** Yields the same path, then with `-2`, `-3`, …, because several archives may be made within a minute. */
export function* pathsLike(path: string): Generator<string> {
  yield path;
  for (let n = 2; n <= 1_000; n += 1) yield `${path}-${n}`;
}
