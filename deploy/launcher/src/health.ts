import { setTimeout as sleep } from 'node:timers/promises';

const REQUEST_TIMEOUT_MS = 5_000;
const PAUSE_MS = 100;

/** Whether the health page answers 2xx: `ok` and `degraded` do, `down` is a 503. */
async function isHealthy(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]);
    const response = await fetch(url, { signal: limit, redirect: 'error' });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false; // not listening yet, or gone: the caller waits in both cases
  }
}

/** Asks until it is healthy. False when it was not within `timeoutMs`, or when `signal` says to stop. */
export async function becomesHealthy(url: string, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (!signal.aborted && Date.now() < deadline) {
    if (await isHealthy(url, signal)) return true;
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
  return false;
}
