import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { AishError } from '@aish/contracts/problems';
import type { AcceptRunbookProposal, PutRunbook, Runbook, RunbookDetail } from '@aish/contracts/runbooks';
import { appendAudit } from '@aish/database/audit.repository';
import type { Database } from '@aish/database/client';
import { RunbookProposals, type Runbooks } from '@aish/knowledge';

/** Manages runbooks for people. Models read them and propose changes. */
@Injectable()
export class RunbooksService {
  constructor(
    @Part('db') private readonly db: Database,
    @Part('runbooks') private readonly runbooks: Runbooks | null,
  ) {}

  async list(signal: AbortSignal): Promise<Runbook[]> {
    return this.there().list(signal);
  }

  /** @throws AishError `not_found`, `knowledge_missing` */
  async show(name: string, signal: AbortSignal): Promise<RunbookDetail> {
    return this.there().show(name, signal);
  }

  /**
   * Validates a runbook, or saves it under its name. @throws AishError `runbook_faulty`; `version_changed` if `accept`
   * names other files; the errors of a write
   */
  async put(by: string, name: string, input: PutRunbook, signal: AbortSignal): Promise<RunbookDetail> {
    const runbooks = this.there();
    const files = new Map(input.files.map(({ path, content }) => [path, Buffer.from(content, 'base64')]));
    const checked = await runbooks.check(name, files);
    if (input.dryRun) return checked;
    if (input.accept !== undefined && input.accept !== checked.digest) throw notShown(name);
    const { commit, digest } = await runbooks.put(by, name, files, signal);
    await appendAudit(this.db.statements, {
      actor: by,
      action: 'runbook.put',
      subject: name,
      facts: { commit, digest },
    });
    return input.accept === undefined ? runbooks.show(name, signal) : this.accept(by, name, input.accept);
  }

  /** @throws AishError `not_found`, `version_changed`, `runbook_faulty` */
  async accept(by: string, name: string, digest: string): Promise<RunbookDetail> {
    const accepted = await this.there().accept(by, name, digest);
    const { tools, commands } = accepted;
    const facts = { digest, tools, commands };
    await appendAudit(this.db.statements, { actor: by, action: 'runbook.accepted', subject: name, facts });
    return accepted;
  }

  /** @throws AishError `knowledge_missing` */
  proposals(): RunbookProposals {
    return new RunbookProposals(this.db, this.there());
  }

  /** @throws AishError `not_found`, `candidate_taken`, `version_changed`, `runbook_faulty`; the errors of a write. */
  async adopt(by: string, number: number, input: AcceptRunbookProposal, signal: AbortSignal): Promise<RunbookDetail> {
    const adopted = await this.proposals().accept(by, number, input, signal);
    const { name, commit, digest } = adopted;
    const facts = { proposal: number, commit, digest, edited: input.text !== undefined };
    await appendAudit(this.db.statements, { actor: by, action: 'runbook.adopted', subject: name, facts });
    return adopted;
  }

  private there(): Runbooks {
    if (this.runbooks !== null) return this.runbooks;
    throw new AishError('knowledge_missing', 'Runbooks need a knowledge base. Set KNOWLEDGE_DIR');
  }
}

function notShown(name: string): AishError {
  return new AishError('version_changed', `The runbook ${name} has changed since it was shown. Read it again`);
}
