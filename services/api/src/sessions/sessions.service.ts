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

/** Sessions as people handle them: list, find, read, take away, delete. */
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
   * The id of a session; one that is given as an id is not looked up.
   * @param tokenId of who asks, where the token was not looked at yet.
   * @throws AishError `not_found`; `unauthorized` when the token does not hold.
   */
  async idOf(reference: string, tokenId: string | null = null): Promise<string> {
    if (reference.includes('-')) return reference;
    if (tokenId !== null) await mustHold(this.db.statements, tokenId);
    return (await this.find(reference)).id;
  }

  /** @throws AishError `not_found`, also for the session of a goal that nobody has talked about. */
  async findChat(reference: string): Promise<Session> {
    const session = await this.find(reference);
    if (session.kind === 'chat' || session.state !== null) return session;
    throw new AishError('not_found', `Session ${reference} is that of goal ${session.goalNumber}, not a chat`);
  }

  /**
   * Deletes a chat with its workspace. The workspace goes first: when it cannot, all stays.
   * @throws AishError `not_found`; `busy` while it is at work; what the sandbox says.
   */
  async remove(by: string, reference: string): Promise<void> {
    const session = await this.find(reference);
    if (session.kind === 'goal') {
      throw new AishError(
        'invalid_body',
        `Session ${session.number} is that of goal ${session.goalNumber}; delete the goal`,
      );
    }
    if (session.state === 'running') throw new AishError('busy', 'The session is at work; stop it first');
    await removeWorkspace(this.workspaces, session.id);
    await inTransaction(this.db, async (tx) => {
      if (!(await deleteSession(tx, session.id))) return;
      await appendAudit(tx, { actor: by, action: 'session.deleted', subject: `c-${session.number}` });
    });
  }

  /** @throws AishError `not_found` */
  async history(reference: string, after: number | null, limit: number): Promise<HistoryTurn[]> {
    const session = await this.find(reference);
    return listHistory(this.db.statements, session.id, after, limit);
  }

  /** What was read on hosts before a command ended something there, oldest first. @throws AishError `not_found` */
  async evidence(reference: string): ReturnType<typeof listWholeEvidence> {
    const { id } = await this.find(reference);
    return listWholeEvidence(this.db.statements, id);
  }

  /** What a tool answered and that was kept, by its handle. @throws AishError `not_found` */
  async result(reference: string, handle: string): Promise<KeptResultRow> {
    const { id } = await this.find(reference);
    const n = /^r-([1-9][0-9]{0,8})$/.exec(handle)?.[1];
    const row = n === undefined ? null : await findResult(this.db.statements, id, Number(n));
    if (row === null) throw new AishError('not_found', `There is no result ${handle} in this session`);
    return row;
  }
}
