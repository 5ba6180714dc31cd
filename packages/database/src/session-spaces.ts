import type { Database } from './client.js';
import { findSessionSpace, type SessionSpace } from './repositories/spaces.repository.js';

const KEPT = 10_000;

/**
 * The settings that sessions have from their space. They are fixed when a session starts, so they are looked up once.
 */
export class SessionSpaces {
  /** The known sessions, oldest first. */
  private readonly known = new Map<string, Promise<SessionSpace | null>>();

  constructor(private readonly db: Pick<Database, 'statements'>) {}

  /** Returns the settings of a session; null if the session does not exist. */
  of(sessionId: string): Promise<SessionSpace | null> {
    const known = this.known.get(sessionId);
    if (known !== undefined) return known;
    const asked = this.ask(sessionId);
    this.keep(sessionId, asked);
    asked.catch(() => this.known.delete(sessionId)); // The caller sees the error and may ask again.
    return asked;
  }

  /** Stores the settings of a session that has just started, so that no lookup is needed. */
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
    if (found === null) this.known.delete(sessionId); // The session may be created later.
    return found;
  }
}
