import { lookup } from 'node:dns/promises';
import { BlockList, isIP, isIPv4 } from 'node:net';

const LOOK_UP_EVERY_MS = 10_000;

/** Returns the current addresses of a name; empty if it has none. */
export type LookUp = (name: string) => Promise<readonly string[]>;

/**
 * The reverse proxies whose `X-Forwarded-For` is trusted: addresses, networks, and names. Names are looked up
 * regularly, because a container may come back with another address.
 */
export class TrustedProxies {
  private readonly fixed = new BlockList();
  private readonly names: readonly string[];
  private named: ReadonlySet<string> = new Set();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    proxies: readonly string[],
    private readonly lookUp: LookUp = addressesOf,
  ) {
    this.names = proxies.filter((proxy) => isIP(proxy) === 0 && !proxy.includes('/'));
    for (const proxy of proxies) {
      const [address = '', bits] = proxy.split('/');
      if (isIP(address) === 0) continue;
      const family = isIPv4(address) ? 'ipv4' : 'ipv6';
      if (bits === undefined) this.fixed.addAddress(address, family);
      else this.fixed.addSubnet(address, Number(bits), family);
    }
  }

  /** Looks up names now and regularly until `stop`. */
  async start(): Promise<void> {
    if (this.names.length === 0) return;
    const found = await Promise.all(this.names.map((name) => this.lookUp(name).catch(() => [])));
    this.named = new Set(found.flat());
    this.timer = setTimeout(() => void this.start(), LOOK_UP_EVERY_MS).unref();
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  has(address: string): boolean {
    // A dual-stack socket reports an IPv4 address in IPv6 form.
    const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
    if (isIP(plain) === 0) return false;
    return this.named.has(plain) || this.fixed.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6');
  }
}

async function addressesOf(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}
