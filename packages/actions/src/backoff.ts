/**
 * Returns the milliseconds to wait before the next attempt, after `waits` pauses in a row. The pause doubles up to a
 * limit.
 */
export function pauseMs(waits: number, minMs: number, maxMs: number): number {
  return Math.min(maxMs, minMs * 2 ** Math.min(waits, 20));
}
