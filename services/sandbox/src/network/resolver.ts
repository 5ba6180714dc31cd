import { lookup } from 'node:dns/promises';
import { canonicalAddress } from '@aish/http/address-kind';

/** Returns the canonical addresses of a name. The list is empty if the name has none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

const AT_ONCE = 2;
const WAITING_MAX = 64;
const ANSWER_TIMEOUT_MS = 10_000;

/**
 * Resolves names as this machine does (hosts file, mDNS, DNS). The system's resolver blocks one of Node's few threads,
 * and file operations need these threads, too. The number of parallel lookups is limited, so that a command with slow
 * lookups does not occupy all threads.
 */
export function systemResolver(): Resolve {
  let active = 0;
  const waiting: (() => void)[] = [];
  const finished = () => {
    const next = waiting.shift();
    // The slot is passed on directly, so that no other lookup takes it in between.
    if (next === undefined) active--;
    else next();
  };
  return async (name) => {
    if (active >= AT_ONCE) {
      if (waiting.length >= WAITING_MAX) return [];
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else active++;
    const asked = lookup(name, { all: true, verbatim: true }).finally(finished);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer for ${name}`)), ANSWER_TIMEOUT_MS);
    });
    try {
      const found = await Promise.race([asked, late]);
      return [...new Set(found.flatMap(({ address }) => canonicalAddress(address) ?? []))];
    } catch {
      // For the command, an unknown name and an unavailable resolver mean the same: the destination is unreachable.
      return [];
    } finally {
      clearTimeout(timer);
    }
  };
}
