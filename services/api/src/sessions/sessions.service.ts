import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import type { HistoryTurn, ListSessions, Session, SessionList } from '@aish/contracts/chat';
import { AishError } from '@aish/contracts/problems';
import { appendAudit } from '@aish/database/audit.repository';
import type { Database } from '@aish/database/client';
import { listWholeEvidence } from '@aish/database/evidence.repository';
import { findResult, type KeptResultRow } from '@aish/database/results.repository';
import { deleteSession, listHistory, listSessions } from '@aish/database/sessions.repository';
import { mustHold } from '@aish/database/tokens.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Workspaces } from '@aish/sandbox-client';
import { sessionOf } from '../references.js';
import { removeWorkspace } from './remove-workspace.js';

/** Lists, finds, reads, archives and deletes sessions for people. */
@Injectable()
export class SessionsService {
  constructor(
    @Part('db') private readonly db: Database,
    @Part('workspaces') private readonly workspaces: Workspaces,
  ) {}

  async list({ kind, q, archived, limit }: ListSessions): Promise<SessionList> {
    const filter = { kind: kind ?? null, words: q ?? null, archived: archived === 'true', limit };
    return { items: await listSessions(this.db.statements, filter) };
  }

  /** @throws AishError `not_found` */
  async find(reference: string): Promise<Session> {
    return sessionOf(this.db.statements, reference);
  }

  /**
   * Returns the ID of a session. An ID is returned without a lookup. @param tokenId the caller's token, if it has not
   * been checked yet @throws AishError `not_found`; `unauthorized` if the token is invalid
   */
  async idOf(reference: string, tokenId: string | null = null): Promise<string> {
    if (reference.includes('-')) return reference;
    if (tokenId !== null) await mustHold(this.db.statements, tokenId);
    return (await this.find(reference)).id;
  }

  /** @throws AishError `not_found`, also for the session of a goal without a chat */
  async findChat(reference: string): Promise<Session> {
    const session = await this.find(reference);
    if (session.kind === 'chat' || session.state !== null) return session;
    throw new AishError('not_found', `Session ${reference} belongs to goal ${session.goalNumber}; it is not a chat`);
  }

  /**
   * Deletes a chat with its workspace. The workspace is deleted first: if that fails, everything stays. @throws
   * AishError `not_found`; `busy` while the chat works; the errors of the sandbox
   */
  async remove(by: string, reference: string): Promise<void> {
    const session = await this.find(reference);
    if (session.kind === 'goal') {
      throw new AishError(
        'invalid_body',
        `Session ${session.number} belongs to goal ${session.goalNumber}. Delete the goal instead`,
      );
    }
    if (session.state === 'running') throw new AishError('busy', 'The session is working. Stop it first');
    await removeWorkspace(this.workspaces, session.id);
    await inTransaction(this.db, async (tx) => {
      if (!(await deleteSession(tx, session.id))) return;
      await appendAudit(tx, { actor: by, action: 'session.deleted', subject: `c${session.number}` });
    });
  }

  /** @throws AishError `not_found` */
  async history(reference: string, after: number | null, limit: number): Promise<HistoryTurn[]> {
    const session = await this.find(reference);
    return listHistory(this.db.statements, session.id, after, limit);
  }

  /**
   * Returns the evidence that was read on hosts before a command stopped something there, oldest first. @throws
   * AishError `not_found`
   */
  async evidence(reference: string): ReturnType<typeof listWholeEvidence> {
    const { id } = await this.find(reference);
    return listWholeEvidence(this.db.statements, id);
  }

  /** Returns a stored tool result by its handle. @throws AishError `not_found` */
  async result(reference: string, handle: string): Promise<KeptResultRow> {
    const { id } = await this.find(reference);
    const n = /^r-([1-9][0-9]{0,8})$/.exec(handle)?.[1];
    const row = n === undefined ? null : await findResult(this.db.statements, id, Number(n));
    if (row === null) throw new AishError('not_found', `There is no result ${handle} in this session`);
    return row;
  }
}
