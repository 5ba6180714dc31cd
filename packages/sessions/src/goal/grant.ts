import { randomUUID } from 'node:crypto';
import type { Decision, GrantScope } from '@aish/contracts/decisions';
import { grantableRule } from '@aish/contracts/decision-rules';
import { AishError } from '@aish/contracts/problems';
import { insertGrant, type GrantOf } from '@aish/database/grants.repository';
import type { Tx } from '@aish/database/tx';

/**
 * Stores that an approved action may run again without a question in this goal or chat.
 *
 * @throws AishError `invalid_body` if nothing can be granted
 */
export async function grantFrom(
  tx: Tx,
  asked: Decision,
  of: GrantOf,
  scope: GrantScope,
  { by, carried = false }: { readonly by: string; readonly carried?: boolean },
): Promise<void> {
  const ruleId = grantableRule(asked.classification);
  if (asked.actionId === null) throw refusedGrant('A proposed check is accepted once, so there is nothing to grant');
  if (scope === 'rule' && ruleId === null) {
    throw refusedGrant('Several rules stopped this action, so you cannot grant one. Grant the command instead');
  }
  if (asked.binding === null)
    throw refusedGrant('The folder of this command is not known yet, so nothing can be granted');
  if (scope === 'variables') return grantVariables(tx, asked, of, by);
  const isRule = scope === 'rule';
  await insertGrant(tx, {
    ...of,
    id: randomUUID(),
    scope,
    action: isRule ? null : asked.action,
    ruleId: isRule ? ruleId : null,
    binding: asked.binding,
    carried,
    createdBy: by,
  });
}

async function grantVariables(tx: Tx, { executionContext }: Decision, of: GrantOf, by: string): Promise<void> {
  const { variables = [], variablesDigest } = executionContext ?? {};
  if (variables.length === 0 || variablesDigest === undefined) {
    throw refusedGrant('Earlier commands set no variables that this command would use');
  }
  const action = variables.map(({ name }) => name).join(', ');
  const what = { scope: 'variables' as const, action, ruleId: null, binding: variablesDigest, carried: true };
  await insertGrant(tx, { ...of, id: randomUUID(), ...what, createdBy: by });
}

function refusedGrant(message: string): AishError {
  return new AishError('invalid_body', message, { errors: [{ path: 'grant', message }] });
}
