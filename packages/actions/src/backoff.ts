/** How long to wait before trying again, after `waits` pauses in a row: doubling, bounded. Milliseconds. */
export function pauseMs(waits: number, minMs: number, maxMs: number): number {
  return Math.min(maxMs, minMs * 2 ** Math.min(waits, 20));
}
