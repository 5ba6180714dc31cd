import { lookup } from 'node:dns/promises';
import { canonicalAddress } from '@aish/http/reach';

/** The canonical addresses of a name; empty when it has none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

const AT_ONCE = 2;
const WAITING_MAX = 64;
const ANSWER_TIMEOUT_MS = 10_000;

/**
 * Names as this machine reads them (hosts file, mDNS, DNS). The system's resolver blocks one of Node's few threads, which
 * files need as well: a command that asks for slow names must not hold them all.
 */
export function systemResolver(): Resolve {
  let active = 0;
  const waiting: (() => void)[] = [];
  const finished = () => {
    const next = waiting.shift();
    // Handed on and not given back, so that nobody slips in between.
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
      // A name that nobody knows and a resolver that is away are one to a command: it cannot be reached.
      return [];
    } finally {
      clearTimeout(timer);
    }
  };
}
