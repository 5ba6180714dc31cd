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

/** The sessions of browsers. Each is a token of its own, so that one can be ended and the others go on. */
@Injectable()
export class WebSessionService {
  constructor(
    @Part('db') private readonly db: Database,
    private readonly tokens: TokensService,
  ) {}

  /**
   * A session for the owner of this token. Null when the token is not valid. @throws AishError `forbidden` for an app's
   */
  async begin(given: string): Promise<string | null> {
    const parent = await findToken(this.db.statements, hashToken(given));
    if (parent === null) return null;
    if (parent.app !== null) throw new AishError('forbidden', 'A token of an app signs nobody in');
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

  /** Signs one browser of this person out, or with null every one. @throws AishError `not_found` */
  async end({ name, owner }: ApiTokenRow, id: string | null): Promise<void> {
    await inTransaction(this.db, async (tx) => {
      const ended = await endWebSessions(tx, owner, id);
      if (id !== null && ended.length === 0) throw new AishError('not_found', 'No browser of yours is signed in so');
      for (const subject of ended) await appendAudit(tx, { actor: name, action: 'token.revoked', subject });
    });
  }
}
