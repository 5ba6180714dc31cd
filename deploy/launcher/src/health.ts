import { setTimeout as sleep } from 'node:timers/promises';

const REQUEST_TIMEOUT_MS = 5_000;
const PAUSE_MS = 100;

/** Returns whether the health page returns 2xx. `ok` and `degraded` do, and `down` is a 503. */
async function isHealthy(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]);
    const response = await fetch(url, { signal: limit, redirect: 'error' });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false; // it is not listening yet, or gone, and the caller waits in both cases
  }
}

/** Polls until the service is healthy. Returns false after `timeoutMs`, or when `signal` aborts. */
export async function becomesHealthy(url: string, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (!signal.aborted && Date.now() < deadline) {
    if (await isHealthy(url, signal)) return true;
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
  return false;
}
