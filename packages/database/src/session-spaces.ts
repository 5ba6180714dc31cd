import type { Database } from './client.js';
import { findSessionSpace, type SessionSpace } from './repositories/spaces.repository.js';

const KEPT = 10_000;

/** What sessions have of their space. They have it from their start and for good, so it is looked up once. */
export class SessionSpaces {
  /** The oldest first. */
  private readonly known = new Map<string, Promise<SessionSpace | null>>();

  constructor(private readonly db: Pick<Database, 'statements'>) {}

  /** Null where there is no such session. */
  of(sessionId: string): Promise<SessionSpace | null> {
    const known = this.known.get(sessionId);
    if (known !== undefined) return known;
    const asked = this.ask(sessionId);
    this.keep(sessionId, asked);
    asked.catch(() => this.known.delete(sessionId)); // the caller sees the error and may ask again
    return asked;
  }

  /** Spares the look-up where a session has just begun. */
  know(sessionId: string, space: SessionSpace): void {
    this.keep(sessionId, Promise.resolve(space));
  }

  private keep(sessionId: string, asked: Promise<SessionSpace | null>): void {
    this.known.set(sessionId, asked);
    const [oldest] = this.known.keys();
    if (this.known.size > KEPT && oldest !== undefined) this.known.delete(oldest);
  }

  private async ask(sessionId: string): Promise<SessionSpace | null> {
    const found = await findSessionSpace(this.db.statements, sessionId);
    if (found === null) this.known.delete(sessionId); // it may begin yet
    return found;
  }
}
