import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { hiddenFields } from '@aish/contracts/needs';
import { runsSomething, takesAnswer } from '@aish/contracts/decision-rules';
import type { Decision, GiveVerdict, ListDecisions } from '@aish/contracts/decisions';
import { AishError } from '@aish/contracts/problems';
import { appendAudit } from '@aish/database/audit.repository';
import type { Database } from '@aish/database/client';
import { listDecisions } from '@aish/database/decisions.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Tx } from '@aish/database/tx';
import { giveVerdict } from '@aish/sessions';
import { checkAnswer } from '@aish/tools';
import { AfterCommit } from '../after-commit.js';
import { decisionOf } from '../references.js';
import { type Answer, ChatVerdicts } from './chat-verdicts.js';
import { NeedGiver } from './give-need.js';
import { approveAction, takeBack, mustBeShown, type Giver } from './approve-action.js';

/** The person who decides: the name shown beside the verdict, and whether the person may extend access. */
export interface Decider extends Giver {
  readonly isAdmin: boolean;
}

@Injectable()
export class DecisionsService {
  constructor(
    @Part('db') private readonly db: Database,
    private readonly after: AfterCommit,
    private readonly inChats: ChatVerdicts,
    private readonly needs: NeedGiver,
    /** Whether a person may grant the same action for the future. */
    @Part('grants') private readonly grants: boolean,
    /** Discards the changes of the decision's preview. */
    @Part('dropPreview') private readonly dropPreview: (decided: Decision) => Promise<void>,
  ) {}

  list({ state, limit }: ListDecisions): Promise<Decision[]> {
    return listDecisions(this.db.statements, { state, limit });
  }

  /** @throws AishError `not_found` */
  async find(reference: string): Promise<Decision> {
    return decisionOf(this.db.statements, reference);
  }

  /**
   * Gives a verdict. Only the first one counts. The goal continues in a worker, or ends. A `proceed` that needs another
   * person, or the change window, is stored until then. @throws AishError `not_found`; `decision_taken` with `{ state,
   * verdict, decidedBy, decidedAt }` of the first; `decision_changed`; `grant_forbidden`; `needs_another_person`;
   * `forbidden` if only an admin may give the requested access; `network_full`
   */
  async decide(giver: Decider, reference: string, given: GiveVerdict): Promise<Decision> {
    const decided = await this.give(giver, reference, given);
    if (given.verdict !== 'proceed') await this.dropPreview(decided);
    return decided;
  }

  private async give(giver: Decider, reference: string, given: GiveVerdict): Promise<Decision> {
    const { name: by, isAdmin } = giver;
    const { verdict, command: edited = null, grant: granted = null, carried = false } = given;
    const asked = await this.find(reference);
    mustBeShown(asked, given);
    if (asked.kind === 'need' && verdict === 'proceed' && !isAdmin) {
      throw new AishError('forbidden', 'Only a token with scope admin can give access', {
        needed: 'admin',
      });
    }
    const values = answerTo(asked, given);
    const answer = values === null ? null : withoutHidden(asked, values);
    const isGiven = asked.kind === 'need' && values !== null;
    const give = isGiven ? { give: (tx: Tx) => this.needs.give(tx, asked, values, by) } : {};
    if (granted !== null && !this.grants)
      throw new AishError('grant_forbidden', 'Grants are not allowed on this server (setting GRANTS)');
    if (isGiven) await this.needs.mustFit(asked, values);
    if (asked.goalId === null) return this.inChats.decide(giver, { asked, given, values: answer, ...give });
    const { decision, notice, goesOn } = await inTransaction(this.db, async (tx) => {
      const letting = verdict === 'proceed' ? await approveAction(tx, asked, giver, given) : null;
      if (letting !== null && 'waits' in letting)
        return { decision: letting.waits, notice: letting.notice, goesOn: null };
      const alone = { by, inWindow: false, preview: null, message: given.message ?? null };
      const { by: all, inWindow, preview, message } = letting?.runs ?? alone;
      const terms = { verdict, message, edited, granted, carried, inWindow, preview };
      const done = await giveVerdict(tx, asked, { ...terms, answer, by: all, ...give });
      await appendAudit(tx, {
        actor: by,
        action: 'verdict.given',
        subject: `d${asked.number}`,
        facts: { ...terms, by: all, action: asked.action, goal: asked.goalNumber },
      });
      return done;
    });
    if (goesOn !== null) await this.after.addGoalJob(goesOn);
    await this.after.publish(notice);
    return decision;
  }

  /**
   * Withdraws approvals that still wait for another person or for the change window. @throws AishError `not_found`,
   * `decision_taken`
   */
  async takeBack(by: string, reference: string): Promise<Decision> {
    const asked = await this.find(reference);
    const { waits, notice } = await inTransaction(this.db, (tx) => takeBack(tx, asked, by));
    await this.after.publish(notice);
    return waits;
  }
}

/** Removes hidden values from an answer. They are used, but never stored with a decision. */
function withoutHidden({ request }: Decision, answer: Answer): Answer {
  const hidden = hiddenFields(request);
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !hidden.includes(name)));
}

/**
 * Checks the submitted values against the decision's schema, and returns them. Returns null if there are none. @throws
 * AishError `invalid_body`
 */
function answerTo(
  { kind, request, number, difference }: Decision,
  { verdict, answer, grant, carried, preview }: GiveVerdict,
): Answer | null {
  const refuse = (path: string, message: string): never => {
    throw new AishError('invalid_body', `Decision d${number}: ${message}`, { errors: [{ path, message }] });
  };
  const isAboutRun = verdict === 'edit' || grant !== undefined || carried === true || preview !== undefined;
  if (difference !== null && isAboutRun) {
    return refuse(
      'verdict',
      'the command has already run: proceed keeps its changes; skip, instead and abort roll them back',
    );
  }
  if (verdict === 'instead' && !runsSomething(kind))
    return refuse('verdict', 'instead works only for a command or a tool call');
  if (!takesAnswer(kind)) return answer === undefined ? null : refuse('answer', 'only a question accepts values');
  if (verdict === 'edit') return refuse('verdict', 'answer a question with accept, decline or cancel');
  if (grant !== undefined) return refuse('grant', 'a question cannot be granted');
  if (preview !== undefined) return refuse('preview', 'a question has no preview');
  if (verdict !== 'proceed') return null;
  const checked = checkAnswer(request, answer ?? {});
  return 'fault' in checked ? refuse('answer', checked.fault) : checked.values;
}
