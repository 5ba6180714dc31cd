import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import type { Grant } from '@aish/contracts/grants';
import { AishError } from '@aish/contracts/problems';
import { lockChat } from '@aish/database/chats.repository';
import type { Database } from '@aish/database/client';
import { listGrants, revokeGrant } from '@aish/database/grants.repository';
import { inTransaction } from '@aish/database/transaction';
import { SessionsService } from './sessions.service.js';

/** Manages the grants of a chat. A verdict creates them. */
@Injectable()
export class CommandGrants {
  constructor(
    @Part('db') private readonly db: Database,
    private readonly sessions: SessionsService,
  ) {}

  /** @throws AishError `not_found` */
  async list(reference: string): Promise<Grant[]> {
    const { id } = await this.sessions.findChat(reference);
    return listGrants(this.db.statements, id);
  }

  /** Removes a grant, which ends before the next action. @throws AishError `not_found` */
  async revoke(by: string, reference: string, grantId: string): Promise<Grant> {
    const { id, number } = await this.sessions.findChat(reference);
    return inTransaction(this.db, async (tx) => {
      await lockChat(tx, id);
      const grant = await revokeGrant(tx, id, grantId, by);
      if (grant === null) throw new AishError('not_found', `Chat ${number} has no grant ${grantId} to revoke`);
      return grant;
    });
  }
}
