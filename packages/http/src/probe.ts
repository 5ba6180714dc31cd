import type { Check } from '@aish/contracts/health';

const PROBE_TIMEOUT_MS = 3_000;

/**
 * Runs one check of a health page. `ask` returns what is wrong, or null if all is well. An error or a wait of more than
 * 3 s counts as a fault. It never throws.
 */
export async function probe(ask: () => Promise<string | null>): Promise<Check> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no answer within ${PROBE_TIMEOUT_MS} ms`), PROBE_TIMEOUT_MS);
  });
  try {
    const detail = await Promise.race([ask(), late]);
    return { ok: detail === null, detail };
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? firstLine(error) : 'failed' };
  } finally {
    clearTimeout(timer);
  }
}

function firstLine(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return error.message.split('\n', 1)[0] || code;
}
