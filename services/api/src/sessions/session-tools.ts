import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import type { ToolGrant } from '@aish/contracts/chat';
import { AishError } from '@aish/contracts/problems';
import { findChat, lockChat, setGrants } from '@aish/database/chats.repository';
import type { Database } from '@aish/database/client';
import { inTransaction } from '@aish/database/transaction';
import { covers, fingerprintOf, type Approval, type Toolbox } from '@aish/tools';
import { SessionsService } from './sessions.service.js';

/** Lists the tools of a session, and those that need no approval in it. */
@Injectable()
export class SessionTools {
  constructor(
    @Part('db') private readonly db: Database,
    private readonly sessions: SessionsService,
    @Part('toolbox') private readonly toolbox: Toolbox,
  ) {}

  /** Returns the grants that this session has in addition to the configuration. */
  async grants(reference: string): Promise<readonly ToolGrant[]> {
    const { id } = await this.sessions.findChat(reference);
    const row = await findChat(this.db.statements, id);
    return ((row?.grants ?? []) as readonly Approval[]).map(({ tool }) => ({ tool }));
  }

  /** Grants a tool: its calls need no approval in this session, until the tool changes. */
  async grant(owner: string, reference: string, { tool }: ToolGrant): Promise<readonly ToolGrant[]> {
    const { id } = await this.sessions.findChat(reference);
    const specs = await this.toolbox.specs({ sessionId: id, owner, goalId: null });
    const covered = specs.filter((spec) => covers(tool, spec.label));
    const fingerprints = Object.fromEntries(covered.map((spec) => [spec.label, fingerprintOf(spec)]));
    return this.setGrants(id, (grants) => [...grants.filter((each) => each.tool !== tool), { tool, fingerprints }]);
  }

  async revoke(reference: string, { tool }: ToolGrant): Promise<readonly ToolGrant[]> {
    const { id } = await this.sessions.findChat(reference);
    return this.setGrants(id, (grants) => grants.filter((each) => each.tool !== tool));
  }

  /** Returns the tools of a session. @throws AishError `not_found` */
  async list(owner: string, reference: string): Promise<Awaited<ReturnType<Toolbox['specs']>>> {
    const { id } = await this.sessions.find(reference);
    return this.toolbox.specs({ sessionId: id, owner, goalId: null });
  }

  private async setGrants(
    sessionId: string,
    change: (grants: readonly Approval[]) => readonly Approval[],
  ): Promise<readonly ToolGrant[]> {
    return inTransaction(this.db, async (tx) => {
      const row = await lockChat(tx, sessionId);
      if (row === null) throw new AishError('not_found', `There is no session ${sessionId}`);
      const grants = change(row.grants as readonly Approval[]);
      await setGrants(tx, sessionId, grants);
      return grants.map(({ tool }) => ({ tool }));
    });
  }
}
