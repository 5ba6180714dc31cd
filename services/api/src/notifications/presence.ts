/** After this time without an action a person counts as away. */
const AWAY_AFTER_MS = 120_000;

/** A token with open streams of notices, as terminals and pages have them. */
interface Seen {
  readonly owner: string;
  streams: number;
  /** When it last asked for more than to read; null if it has not. */
  actedAtMs: number | null;
}

type Token = { readonly id: string; readonly owner: string };

/** The people whose notifications wait, because they are at a terminal or a page. */
export interface PresentPeople {
  readonly people: readonly string[];
  /** Whether notifications to everybody wait too, because everybody who may decide is present. */
  readonly isEverybody: boolean;
}

/** Returns the people who are present. @param deciders everybody who may decide. */
export function findPresentPeople(seen: Iterable<Seen>, deciders: readonly string[], nowMs: number): PresentPeople {
  const active = [...seen].filter(({ actedAtMs }) => actedAtMs !== null && nowMs - actedAtMs < AWAY_AFTER_MS);
  const people = [...new Set(active.map(({ owner }) => owner))];
  return { people, isEverybody: people.length > 0 && deciders.every((each) => people.includes(each)) };
}

/** The people at this process. Those at another process count as away, so they get a notification too many. */
export class Presence {
  private readonly tokens = new Map<string, Seen>();

  get seen(): Iterable<Seen> {
    return this.tokens.values();
  }

  opened({ id, owner }: Token, closed: AbortSignal): void {
    if (closed.aborted) return;
    const seen = this.tokens.get(id) ?? { owner, streams: 0, actedAtMs: null };
    seen.streams += 1;
    this.tokens.set(id, seen);
    const close = (): void => {
      seen.streams -= 1;
      if (seen.streams === 0) this.tokens.delete(id);
    };
    closed.addEventListener('abort', close, { once: true });
  }

  acted({ id }: Token, nowMs: number): void {
    const seen = this.tokens.get(id);
    if (seen !== undefined) seen.actedAtMs = nowMs;
  }
}
