import { AishError, isAishError } from '@aish/contracts/problems';
import {
  ALL_RUNBOOK_PROPOSALS_MAX,
  RUNBOOK_PROPOSALS_MAX,
  type AcceptRunbookProposal,
  type ProposeRunbook,
  type RunbookDetail,
  type RunbookProposal,
  type RunbookProposalDetail,
} from '@aish/contracts/runbooks';
import type { Database } from '@aish/database/client';
import {
  countProposals,
  decideProposal,
  findProposal,
  insertProposal,
  listProposals,
  lockProposals,
  type ProposalRecord,
} from '@aish/database/runbook-proposals.repository';
import { findAcceptedRunbook } from '@aish/database/runbooks.repository';
import type { Tx } from '@aish/database/tx';
import { inTransaction } from '@aish/database/transaction';
import { sureSecrets } from '@aish/secrets';
import { SKILL_FILE, readSkill, type Skill, type SkillFiles } from './read-skill.js';
import type { Runbooks } from './runbooks.js';

/** The time limit for accepting a proposal. It is longer than a write of the knowledge base waits for others. */
const ACCEPT_TIMEOUT_MS = 60_000;

/**
 * Proposals of models for runbooks, and their review by a person. Until it is accepted, a proposal is not in the
 * knowledge base.
 */
export class RunbookProposals {
  constructor(
    private readonly db: Database,
    private readonly runbooks: Runbooks,
  ) {}

  /**
   * Stores a model's proposal, which then waits for a person. A repetition returns the waiting one.
   *
   * @throws AishError `runbook_faulty` if it is not a valid runbook, contains a secret, changes nothing, was rejected
   *   before, or exceeds the limit.
   */
  async propose(
    { name, text, why }: ProposeRunbook,
    sessionId: string,
    signal: AbortSignal,
  ): Promise<RunbookProposalDetail> {
    const now = await this.now(name, signal);
    const { skill } = withText(name, now?.files, text);
    const faults = [...skill.faults, ...(await secretsIn(`${text}\n${why}`))];
    if (faults.length > 0) throw refused(name, faults.join('; '));
    if (skill.digest === now?.skill.digest) throw refused(name, 'the runbook already says this');
    const number = await inTransaction(this.db, async (tx) => {
      await lockProposals(tx);
      const { own, all, same, dropped } = await countProposals(tx, name, text);
      if (same !== null) return same;
      if (dropped) throw refused(name, 'a person has already rejected this text');
      if (own >= RUNBOOK_PROPOSALS_MAX) throw refused(name, `${own} of its proposals are already waiting for review`);
      if (all >= ALL_RUNBOOK_PROPOSALS_MAX) throw refused(name, `${all} proposals are already waiting for review`);
      return insertProposal(tx, { name, text, why, proposedFor: now?.skill.digest ?? null, sessionId });
    });
    return this.show(number, signal);
  }

  /** Lists waiting proposals, oldest first. */
  async list(): Promise<RunbookProposal[]> {
    return (await listProposals(this.db.statements)).map(shown);
  }

  /** @throws AishError `not_found` */
  async show(number: number, signal?: AbortSignal): Promise<RunbookProposalDetail> {
    const proposal = await findProposal(this.db.statements, number);
    if (proposal === null) throw missing(number);
    const { name, text, proposedFor } = proposal;
    const now = await this.now(name, signal);
    const { skill } = withText(name, now?.files, text);
    const digest = now?.skill.digest ?? null;
    const accepted = digest === null ? null : await findAcceptedRunbook(this.db.statements, name, digest);
    return {
      ...shown(proposal),
      text,
      diff: await this.runbooks.diff(now?.files.get(SKILL_FILE)?.toString('utf8') ?? '', text, signal),
      digest,
      isStale: proposal.state === 'pending' && digest !== proposedFor,
      tools: between(now?.skill.tools, skill.tools),
      commands: between(now?.skill.commands, skill.commands),
      endsAcceptance: accepted !== null && skill.digest !== digest,
      faults: [...skill.faults],
    };
  }

  /**
   * Commits a proposal, unchanged or edited, with the person as author. The person must then accept the access of the
   * runbook again.
   *
   * @throws AishError `not_found`, `candidate_taken`; errors of `Runbooks.amend`, after which the proposal still waits.
   */
  async accept(
    by: string,
    number: number,
    { digest, text }: AcceptRunbookProposal,
    signal?: AbortSignal,
  ): Promise<RunbookDetail> {
    return inTransaction(
      this.db,
      async (tx) => {
        const { name, text: proposed, from, why } = await pending(tx, number);
        const where = from === null ? '' : ` in ${from}`;
        const how = text === undefined ? 'accepted' : 'accepted in other words';
        const message = `runbook: ${name}\n\n${why}\n\nProposed by a model${where}, ${how} by ${by}\n`;
        const amended = await this.runbooks.amend(by, { name, text: text ?? proposed, digest, message }, signal);
        await decideProposal(tx, number, { state: 'accepted', by });
        return amended;
      },
      { timeoutMs: ACCEPT_TIMEOUT_MS },
    );
  }

  /**
   * Rejects a proposal. The same text is not proposed again.
   *
   * @throws AishError `not_found`, `candidate_taken`
   */
  async reject(by: string, number: number): Promise<RunbookProposal> {
    return inTransaction(this.db, async (tx) => {
      await pending(tx, number);
      await decideProposal(tx, number, { state: 'rejected', by });
      const rejected = await findProposal(tx, number);
      if (rejected === null) throw missing(number);
      return shown(rejected);
    });
  }

  private async now(name: string, signal?: AbortSignal): Promise<{ skill: Skill; files: SkillFiles } | null> {
    try {
      return await this.runbooks.find(name, null, signal);
    } catch (error) {
      if (isAishError(error, 'not_found')) return null;
      throw error;
    }
  }
}

function withText(name: string, files: SkillFiles | undefined, text: string): { readonly skill: Skill } {
  return { skill: readSkill(name, new Map(files).set(SKILL_FILE, Buffer.from(text))) };
}

async function secretsIn(text: string): Promise<string[]> {
  return (await sureSecrets(text)).map((title) => `it contains what looks like a secret: ${title}`);
}

function between(now: readonly string[] = [], then: readonly string[]): { added: string[]; removed: string[] } {
  return { added: then.filter((each) => !now.includes(each)), removed: now.filter((each) => !then.includes(each)) };
}

function shown({ number, name, why, from, state, at, decidedBy, decidedAt }: ProposalRecord): RunbookProposal {
  return { number, name, why, from, state, at, decidedBy, decidedAt };
}

async function pending(tx: Tx, number: number): Promise<ProposalRecord> {
  const proposal = await findProposal(tx, number, true);
  if (proposal === null) throw missing(number);
  if (proposal.state === 'pending') return proposal;
  const by = proposal.decidedBy ?? 'someone';
  throw new AishError('candidate_taken', `Proposal p${number} has already been reviewed: ${proposal.state} by ${by}`);
}

const missing = (number: number): AishError =>
  new AishError(
    'not_found',
    `There is no proposal p${number}. List the pending ones with: aish runbook list --proposed`,
  );
const refused = (name: string, why: string): AishError =>
  new AishError('runbook_faulty', `The runbook ${name}: ${why}`);
