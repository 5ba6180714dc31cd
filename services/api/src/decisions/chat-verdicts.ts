import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import type { ChatRunner } from '@aish/sessions';
import type { Decision, GiveVerdict, Verdict } from '@aish/contracts/decisions';
import { AishError } from '@aish/contracts/problems';
import { elicitationAnswer } from '@aish/contracts/tools';
import { appendAudit } from '@aish/database/audit.repository';
import { lockChat } from '@aish/database/chats.repository';
import type { Database } from '@aish/database/client';
import { decide } from '@aish/database/decisions.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Tx } from '@aish/database/tx';
import { decisionTaken, grantFrom } from '@aish/sessions';
import { AfterCommit } from '../after-commit.js';
import { decisionOf } from '../references.js';
import type { EventHub } from '../sessions/event-hub.js';
import { approveAction, type Giver } from './approve-action.js';

export type Answer = Readonly<Record<string, unknown>>;

interface AskedInChat {
  readonly asked: Decision;
  readonly given: GiveVerdict;
  /** The submitted values without those of hidden fields. */
  readonly values: Answer | null;
  /**
   * Set only for `proceed` on a request for access. Grants the access if this verdict is the first, and returns the
   * things that commands can then access.
   */
  readonly give?: (tx: Tx) => Promise<readonly string[]>;
}

/** Gives verdicts on decisions of chats. */
@Injectable()
export class ChatVerdicts {
  constructor(
    @Part('db') private readonly db: Database,
    private readonly after: AfterCommit,
    @Part('hub') private readonly hub: EventHub,
    @Part('runner') private readonly runner: ChatRunner,
  ) {}

  /**
   * Gives a verdict on a chat's decision. The chat continues in this process. @throws AishError as
   * `DecisionsService.decide`; `invalid_body` for an edit
   */
  async decide(giver: Giver, { asked, given, values, give }: AskedInChat): Promise<Decision> {
    const { verdict, carried = false } = given;
    if (verdict === 'edit') {
      throw new AishError(
        'invalid_body',
        'You can edit an action only in a goal. In a chat, skip it and say what you want instead',
      );
    }
    const granted = given.grant ?? null;
    const { id: decisionId, number, sessionId } = asked;
    const done = await inTransaction(this.db, async (tx) => {
      // The chat's row is locked first, as every writer of a chat does.
      if ((await lockChat(tx, sessionId)) === null) throw new AishError('not_found', `There is no decision ${number}`);
      const letting = verdict === 'proceed' ? await approveAction(tx, asked, giver, given) : null;
      if (letting !== null && 'waits' in letting) return letting;
      const alone = { by: giver.name, preview: null, message: given.message ?? null };
      const { by, preview, message } = letting?.runs ?? alone;
      if (
        !(await decide(tx, decisionId, {
          verdict,
          message,
          carried,
          granted,
          preview,
          by,
          ...(values === null ? {} : { answer: values }),
        }))
      )
        throw decisionTaken(await decisionOf(tx, decisionId));
      if (granted !== null) await grantFrom(tx, asked, { chatId: sessionId }, granted, { by, carried });
      await appendAudit(tx, {
        actor: giver.name,
        action: 'verdict.given',
        subject: `d${number}`,
        facts: { verdict, by, message, granted, carried, preview, action: asked.action, session: sessionId },
      });
      const before = [
        { type: 'decision.given' as const, goalId: null, decisionId, number, verdict, message, granted, carried, by },
      ];
      const access = (await give?.(tx)) ?? null;
      const event = eventOf(asked, { verdict, message, by, values, access });
      const { recorded, goesOn } = await this.runner.decide(tx, sessionId, event, before);
      return { decision: await decisionOf(tx, decisionId), recorded, goesOn };
    });
    if ('waits' in done) {
      await this.after.publish(done.notice);
      return done.waits;
    }
    const { decision, recorded, goesOn } = done;
    this.hub.recorded(sessionId, recorded.events);
    if (goesOn) await this.runner.resume(sessionId);
    return decision;
  }
}

function eventOf(
  { kind, number, actionId, executionContext, attempt }: Decision,
  given: {
    readonly verdict: Verdict;
    readonly message: string | null;
    readonly by: string;
    readonly values: Answer | null;
    readonly access: readonly string[] | null;
  },
): Parameters<ChatRunner['decide']>[2] {
  const { verdict, message, by, values, access } = given;
  if (kind === 'need') return { type: 'needDecided', verdict, access, message, by };
  if (actionId === null) throw new AishError('not_found', `Decision d${number} has no command or tool call`);
  const answer = kind === 'elicitation' ? elicitationAnswer(verdict, values) : null;
  const shown = {
    ...(executionContext === null ? {} : { folder: executionContext.folder }),
    ...(attempt === undefined ? {} : { attempt }),
  };
  return { type: 'decided', actionId, verdict, message, edited: null, answer, ...shown, by };
}
