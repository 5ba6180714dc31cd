import { createHash } from 'node:crypto';
import { Approval, ApprovalRule, HELD_CHANGES, approvalState } from '@aish/contracts/approvals';
import { ChangeWindow } from '@aish/contracts/change-windows';
import { Decision, DecisionKind, DecisionState, GrantScope, Verdict } from '@aish/contracts/decisions';
import { runsSomething } from '@aish/contracts/decision-rules';
import { Difference } from '@aish/contracts/effects';
import { Classification } from '@aish/contracts/safety';
import { ExecutionContext } from '@aish/contracts/execution-context';
import { z } from 'zod';
import type { DecisionRow as Row } from '../generated/rows.js';
import { sql } from '../sql.js';

const ExpiryVerdict = Decision.shape.expiryVerdict;
const Shown = Difference.nullable();
const StoredContext = ExecutionContext.nullable();
const Facts = z.record(z.string(), z.unknown()).nullable();

const Approvals = z.array(Approval);
const Rules = z.array(ApprovalRule);
const Windows = z.array(ChangeWindow);

/** Selects every decision with its goal, and with its space's rules about who may answer and when. */
export const DECISIONS = sql`
  select d.*, g.number as goal_number, g.text as goal_text, s.space, p.windows as space_windows, p.approvals as space_approvals,
    coalesce((select t.owner from api_tokens t where t.name = coalesce(g.created_by, c.owner) order by t.created_at desc limit 1),
             g.created_by, c.owner) as author,
    array(select (a.n - 1)::int from jsonb_array_elements(d.approvals) with ordinality as a(given, n)
          join api_tokens t on t.name = a.given ->> 'token'
          where (t.revoked_at > (a.given ->> 'at')::timestamptz and not t.web)
             or not (p.deciders is null or a.given ->> 'by' = any(p.deciders) or 'admin' = any(t.scopes))) as ended_approvals
  from decisions d join sessions s on s.id = d.session_id left join goals g on g.id = d.goal_id
    left join chats c on c.session_id = d.session_id left join spaces p on p.name = s.space`;

export type DecisionRow = Omit<Row, 'preview' | 'in_window'> & {
  readonly goal_number: number | null;
  readonly goal_text: string | null;
  readonly space: string;
  readonly space_windows: unknown;
  readonly space_approvals: unknown;
  readonly author: string | null;
  /** The positions of approvals whose token was revoked, or whose giver may no longer decide. */
  readonly ended_approvals: readonly number[];
};

/** Returns the decision at this moment, including whether a change window is open. */
export function toDecision(row: DecisionRow): Decision {
  const decision = shownOf(row);
  const version = versionOf(decision);
  if (!runsSomething(decision.kind)) return { ...decision, version };
  const input = {
    rules: Rules.parse(row.space_approvals ?? []),
    windows: Windows.parse(row.space_windows ?? []),
    approvals: Approvals.parse(row.approvals).filter((_, at) => !row.ended_approvals.includes(at)),
    classification: decision.difference === null ? decision.classification : HELD_CHANGES,
    version,
    author: row.author,
    waitsUntil: row.waits_until,
  };
  return { ...decision, version, approval: approvalState(input, new Date()) };
}

/**
 * Returns the version, which identifies everything that a person is shown about a decision. A verdict with this version
 * covers nothing else.
 */
function versionOf({
  action,
  reason,
  classification,
  executionContext,
  difference,
  request,
  goalText,
}: Decision): string {
  const shown = JSON.stringify([action, reason, classification, executionContext, difference, request, goalText]);
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
    executionContext: StoredContext.parse(row.execution_context),
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
