import { createHash } from 'node:crypto';
import { Approval, ApprovalRule, approvalState } from '@aish/contracts/approvals';
import { ChangeWindow } from '@aish/contracts/change-windows';
import { Decision, DecisionKind, DecisionState, GrantScope, Verdict } from '@aish/contracts/decisions';
import { runsSomething } from '@aish/contracts/decision-rules';
import { Difference } from '@aish/contracts/effects';
import { Classification } from '@aish/contracts/safety';
import { CommandSurroundings } from '@aish/contracts/surroundings';
import { z } from 'zod';
import type { DecisionRow as Row } from '../generated/rows.js';
import { sql } from '../sql.js';

const ExpiryVerdict = Decision.shape.expiryVerdict;
const Shown = Difference.nullable();
const Around = CommandSurroundings.nullable();
const Facts = z.record(z.string(), z.unknown()).nullable();

const Approvals = z.array(Approval);
const Rules = z.array(ApprovalRule);
const Windows = z.array(ChangeWindow);

/** Every question with its goal, and with what its space says of who may answer and when. */
export const DECISIONS = sql`
  select d.*, g.number as goal_number, g.text as goal_text, s.space, p.windows as space_windows, p.approvals as space_approvals,
    coalesce((select t.owner from api_tokens t where t.name = coalesce(g.created_by, c.owner) order by t.created_at desc limit 1),
             g.created_by, c.owner) as author
  from decisions d join sessions s on s.id = d.session_id left join goals g on g.id = d.goal_id
    left join chats c on c.session_id = d.session_id left join spaces p on p.name = s.space`;

export type DecisionRow = Omit<Row, 'preview' | 'in_window'> & {
  readonly goal_number: number | null;
  readonly goal_text: string | null;
  readonly space: string;
  readonly space_windows: unknown;
  readonly space_approvals: unknown;
  readonly author: string | null;
};

/** As it is now: whether a change window is open is part of it. */
export function toDecision(row: DecisionRow): Decision {
  const decision = shownOf(row);
  const version = versionOf(decision);
  if (!runsSomething(decision.kind)) return { ...decision, version };
  const standing = {
    rules: Rules.parse(row.space_approvals ?? []),
    windows: Windows.parse(row.space_windows ?? []),
    approvals: Approvals.parse(row.approvals),
    classification: decision.classification,
    version,
    author: row.author,
    waitsUntil: row.waits_until,
  };
  return { ...decision, version, approval: approvalState(standing, new Date()) };
}

/** Names all that a person is shown of a decision: a verdict that names it covers that and nothing else. */
function versionOf({ action, reason, classification, surroundings, difference, request, goalText }: Decision): string {
  const shown = JSON.stringify([action, reason, classification, surroundings, difference, request, goalText]);
  return createHash('sha256').update(shown).digest('base64url').slice(0, 22);
}

function shownOf(row: DecisionRow): Decision {
  return {
    id: row.id,
    number: row.number,
    sessionId: row.session_id,
    kind: DecisionKind.parse(row.kind),
    goalId: row.goal_id,
    goalNumber: row.goal_number,
    goalText: row.goal_text,
    actionId: row.action_id,
    state: DecisionState.parse(row.state),
    reason: row.reason,
    classification: row.classification === null ? null : Classification.parse(row.classification),
    surroundings: Around.parse(row.surroundings),
    difference: Shown.parse(row.difference),
    binding: row.binding,
    action: row.action,
    request: Facts.parse(row.request),
    stepNumber: row.step_number,
    stepBudget: row.step_budget,
    context: row.context,
    verdict: row.verdict === null ? null : Verdict.parse(row.verdict),
    message: row.message,
    answer: Facts.parse(row.answer),
    edited: row.edited,
    granted: GrantScope.nullable().parse(row.granted),
    ...(row.attempt === null ? {} : { attempt: row.attempt }),
    carried: row.carried,
    expiresAt: row.expires_at?.toISOString() ?? null,
    expiryVerdict: ExpiryVerdict.parse(row.expiry_verdict),
    decidedBy: row.decided_by,
    createdAt: row.created_at.toISOString(),
    decidedAt: row.decided_at?.toISOString() ?? null,
    space: row.space,
  };
}
