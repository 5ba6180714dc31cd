import { hiddenFields } from '@aish/contracts/needs';
import { takesAnswer, type Decision, type GiveVerdict, type ListDecisions } from '@aish/contracts/decisions';
import { AishError } from '@aish/contracts/problems';
import { elicitationAnswer } from '@aish/contracts/tools';
import { appendAudit } from '@aish/database/audit.repository';
import { lockChat } from '@aish/database/chats.repository';
import type { Database } from '@aish/database/client';
import { decide, findDecision, listDecisions } from '@aish/database/decisions.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Tx } from '@aish/database/tx';
import type { ChatDriver } from '@aish/chat';
import { decisionTaken, giveVerdict, grantFrom } from '@aish/norris';
import { checkAnswer } from '@aish/tools';
import type { AfterCommit } from '../after-commit.js';
import type { EventHub } from '../sessions/event-hub.js';
import { mustBeShown } from './decision-version.js';
import type { NeedGiver } from './give-need.js';
import { letRun, takeBack, type Giver } from './let-run.js';

/** Who decides: the name beside the verdict, and whether it may widen what a goal reaches. */
export interface Decider extends Giver {
  readonly isAdmin: boolean;
}

export class DecisionsService {
  constructor(
    private readonly db: Database,
    private readonly after: AfterCommit,
    private readonly hub: EventHub,
    private readonly chats: ChatDriver,
    /** Whether a person may let the same run again without being asked. */
    private readonly grants: boolean,
    private readonly needs: NeedGiver,
  ) {}

  list({ state, limit }: ListDecisions): Promise<Decision[]> {
    return listDecisions(this.db.statements, { state, limit });
  }

  /** @throws AishError `not_found` */
  async find(reference: string, tx: Tx = this.db.statements): Promise<Decision> {
    const decision = await findDecision(tx, reference);
    if (decision === null) throw new AishError('not_found', `There is no decision ${reference}`);
    return decision;
  }

  /**
   * Gives a verdict; the first one wins. The goal goes on in a worker, or ends. A proceed that needs another person, or the change
   * window, is kept until then.
   * @throws AishError `not_found`; `decision_taken` with `{ state, verdict, decidedBy, decidedAt }` of the first;
   * `decision_changed`; `grant_forbidden`; `needs_another_person`; `forbidden` where only an admin may give what is asked for.
   */
  async decide(giver: Decider, reference: string, given: GiveVerdict): Promise<Decision> {
    const { name: by, isAdmin } = giver;
    const { verdict, message = null, command: edited = null, grant: granted = null, carried = false } = given;
    const asked = await this.find(reference);
    mustBeShown(asked, given);
    if (asked.kind === 'need' && verdict === 'proceed' && !isAdmin) {
      throw new AishError('forbidden', 'What a goal may reach is given with a token of scope admin', {
        needed: 'admin',
      });
    }
    const values = answerTo(asked, given);
    const answer = values === null ? null : withoutHidden(asked, values);
    const give = values === null ? {} : { give: (tx: Tx) => this.needs.give(tx, asked, values, by) };
    if (asked.goalId === null && asked.actionId !== null)
      return this.decideInChat(giver, asked, asked.actionId, given, answer);
    if (granted !== null && !this.grants) throw new AishError('grant_forbidden', 'The configuration forbids grants');
    const { decision, notice, goesOn } = await inTransaction(this.db, async (tx) => {
      const letting = verdict === 'proceed' ? await letRun(tx, asked, giver, given) : null;
      if (letting !== null && 'waits' in letting)
        return { decision: letting.waits, notice: letting.notice, goesOn: null };
      const { by: all, inWindow } = letting?.runs ?? { by, inWindow: false };
      const terms = { verdict, message, edited, granted, carried, inWindow };
      const done = await giveVerdict(tx, asked, { ...terms, answer, by: all, ...give });
      await appendAudit(tx, {
        actor: by,
        action: 'verdict.given',
        subject: `d-${asked.number}`,
        facts: { ...terms, by: all, action: asked.action, goal: asked.goalNumber },
      });
      return done;
    });
    if (goesOn !== null) await this.after.drive(goesOn);
    await this.after.tell(notice);
    return decision;
  }

  /**
   * Takes back what people said that has not had its effect: another person, or the window, is still to come.
   * @throws AishError `not_found`, `decision_taken`
   */
  async takeBack(by: string, reference: string): Promise<Decision> {
    const asked = await this.find(reference);
    const { waits, notice } = await inTransaction(this.db, (tx) => takeBack(tx, asked, by));
    await this.after.tell(notice);
    return waits;
  }

  /** The same for an action of a chat, which goes on in this process. */
  private async decideInChat(
    giver: Giver,
    asked: Decision,
    actionId: string,
    given: GiveVerdict,
    values: Answer | null,
  ): Promise<Decision> {
    const { verdict, message: told, carried = false } = given;
    const message = told ?? null;
    if (verdict === 'edit') {
      throw new AishError('invalid_body', 'edit is for goals; in a chat skip it and say what else you want');
    }
    const granted = given.grant ?? null;
    if (granted !== null && !this.grants) throw new AishError('grant_forbidden', 'The configuration forbids grants');
    const { id: decisionId, number, sessionId } = asked;
    const answer = asked.kind === 'elicitation' ? elicitationAnswer(verdict, values) : null;
    const done = await inTransaction(this.db, async (tx) => {
      // The chat's row is locked first, as every writer of a chat does.
      if ((await lockChat(tx, sessionId)) === null) throw new AishError('not_found', `There is no decision ${number}`);
      const letting = verdict === 'proceed' ? await letRun(tx, asked, giver, given) : null;
      if (letting !== null && 'waits' in letting) return letting;
      const by = letting?.runs.by ?? giver.name;
      if (
        !(await decide(tx, decisionId, {
          verdict,
          message,
          carried,
          granted,
          by,
          ...(values === null ? {} : { answer: values }),
        }))
      )
        throw decisionTaken(await this.find(decisionId, tx));
      if (granted !== null) await grantFrom(tx, asked, { chatId: sessionId }, granted, { by, carried });
      await appendAudit(tx, {
        actor: giver.name,
        action: 'verdict.given',
        subject: `d-${number}`,
        facts: { verdict, by, message, granted, carried, action: asked.action, session: sessionId },
      });
      const before = [
        { type: 'decision.given' as const, goalId: null, decisionId, number, verdict, message, granted, carried, by },
      ];
      const { recorded, goesOn } = await this.chats.decide(
        tx,
        sessionId,
        { actionId, verdict, message, answer, by },
        before,
      );
      return { decision: await this.find(decisionId, tx), recorded, goesOn };
    });
    if ('waits' in done) {
      await this.after.tell(done.notice);
      return done.waits;
    }
    const { decision, recorded, goesOn } = done;
    this.hub.recorded(sessionId, recorded.events);
    if (goesOn) await this.chats.resume(sessionId);
    return decision;
  }
}

type Answer = Readonly<Record<string, unknown>>;

/** What is typed unseen is used, and kept with no decision. */
function withoutHidden({ request }: Decision, answer: Answer): Answer {
  const hidden = hiddenFields(request);
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !hidden.includes(name)));
}

/** The values that were asked for, checked by its schema; null where none are given. @throws AishError `invalid_body` */
function answerTo(
  { kind, request, number, difference }: Decision,
  { verdict, answer, grant, carried }: GiveVerdict,
): Answer | null {
  const refuse = (path: string, message: string): never => {
    throw new AishError('invalid_body', `Decision d-${number}: ${message}`, { errors: [{ path, message }] });
  };
  if (difference !== null && (verdict === 'edit' || grant !== undefined || carried === true)) {
    return refuse('verdict', 'it has run: what it did is kept (proceed) or rolled back (skip, abort)');
  }
  if (!takesAnswer(kind)) return answer === undefined ? null : refuse('answer', 'only a question takes values');
  if (verdict === 'edit') return refuse('verdict', 'a question is answered, declined or cancelled');
  if (grant !== undefined) return refuse('grant', 'a question cannot be granted');
  if (verdict !== 'proceed') return null;
  const checked = checkAnswer(request, answer ?? {});
  return 'fault' in checked ? refuse('answer', checked.fault) : checked.values;
}
