/**
 * The seeded random choices of one simulated session. Each call site has its own stream, so a choice at one site does
 * not change the choices at another.
 */
export class Chance {
  private readonly drawn = new Map<string, number>();

  constructor(readonly seed: number) {}

  /**
   * Decides whether a random event happens at this site.
   *
   * @param share the probability, from 0 to 1
   */
  is(site: string, share: number): boolean {
    return this.draw(site) < share;
  }

  /** Picks one of these values. */
  pick<const T>(site: string, of: readonly [T, ...T[]]): T {
    return of[Math.floor(this.draw(site) * of.length)] ?? of[0];
  }

  /** Returns a number from `least` up to, but not including, `most`. */
  number(site: string, least: number, most: number): number {
    return least + Math.floor(this.draw(site) * (most - least));
  }

  private draw(site: string): number {
    const n = (this.drawn.get(site) ?? 0) + 1;
    this.drawn.set(site, n);
    return uniform(`${this.seed} ${site} ${n}`);
  }
}

/** Hashes the text with FNV-1a and mixes the result like mulberry32. */
function uniform(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  let mixed = (hash + 0x6d2b79f5) | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}
