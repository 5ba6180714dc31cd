import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { randomBytes } from 'node:crypto';
import { AishError } from '@aish/contracts/problems';
import { WEB_SESSION_DAYS, type WebDevice } from '@aish/contracts/web';
import { appendAudit } from '@aish/database/audit.repository';
import type { Database } from '@aish/database/client';
import { findToken, type ApiTokenRow } from '@aish/database/tokens.repository';
import { inTransaction } from '@aish/database/transaction';
import { endWebSessions, listWebSessions } from '@aish/database/web-sessions.repository';
import { hashToken, TokensService } from '../tokens/tokens.service.js';

/** Manages the sessions of browsers. Each session has its own token, so that one can end without the others. */
@Injectable()
export class WebSessionService {
  constructor(
    @Part('db') private readonly db: Database,
    private readonly tokens: TokensService,
  ) {}

  /**
   * Begins a session for the owner of this token. Returns null if the token is not valid. @throws AishError `forbidden`
   * for an app's token
   */
  async begin(given: string): Promise<string | null> {
    const parent = await findToken(this.db.statements, hashToken(given));
    if (parent === null) return null;
    if (parent.app !== null) throw new AishError('forbidden', 'An app’s token cannot sign in a browser');
    const { id, name, owner, scopes, projects } = parent;
    const made = await this.tokens.create(
      name,
      {
        name: `${name.slice(0, 48)}.${randomBytes(3).toString('hex')}`,
        scopes: [...scopes],
        expiresInDays: WEB_SESSION_DAYS,
        owner,
        ...(projects === null ? {} : { projects: [...projects] }),
      },
      { parentId: id },
    );
    return made.token;
  }

  async devices({ id, owner }: ApiTokenRow): Promise<WebDevice[]> {
    const all = await listWebSessions(this.db.statements, owner);
    return all.map((device) => ({ ...device, isThis: device.id === id }));
  }

  /** Signs out one browser of this person. Null signs out all of them. @throws AishError `not_found` */
  async end({ name, owner }: ApiTokenRow, id: string | null): Promise<void> {
    await inTransaction(this.db, async (tx) => {
      const ended = await endWebSessions(tx, owner, id);
      if (id !== null && ended.length === 0)
        throw new AishError('not_found', 'You have no browser session with that ID');
      for (const subject of ended) await appendAudit(tx, { actor: name, action: 'token.revoked', subject });
    });
  }
}
