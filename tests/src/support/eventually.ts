const FIRST_MS = 50;
const LATER_MS = 300;

/**
 * Polls until the answer is not null or undefined. Fails with the last value. The time limit is only against hangs, and
 * does not test the speed.
 *
 * @param options.everyMs a fixed interval. By default the intervals grow, because each answer costs processor time that
 *   the awaited work needs
 */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | null | undefined | false>,
  { timeoutMs = 60_000, everyMs }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<T> {
  const until = Date.now() + timeoutMs;
  let last: unknown;
  for (let next = FIRST_MS; ; next = Math.min(next * 1.3, LATER_MS)) {
    try {
      const answer = await ask();
      if (answer !== null && answer !== undefined && answer !== false) return answer;
      last = answer;
    } catch (error) {
      last = error;
    }
    if (Date.now() > until) throw new Error(`not within ${timeoutMs} ms: ${what}`, { cause: last });
    await new Promise((resolve) => setTimeout(resolve, everyMs ?? next));
  }
}
