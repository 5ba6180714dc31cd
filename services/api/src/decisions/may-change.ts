import { AishError } from '@aish/contracts/problems';
import { allows } from '@aish/contracts/tokens';
import { hasPendingDecision } from '@aish/database/decisions.repository';
import type { Database } from '@aish/database/client';
import type { ApiTokenRow } from '@aish/database/tokens.repository';

/**
 * A person decides about the files and settings that they saw. Until then, nobody who may not decide may change these.
 * @throws AishError `decision_waits`
 */
export async function needMayChange(
  { statements }: Database,
  sessionId: string,
  { scopes }: Pick<ApiTokenRow, 'scopes'>,
): Promise<void> {
  if (allows(scopes, 'decide') || !(await hasPendingDecision(statements, sessionId))) return;
  throw new AishError(
    'decision_waits',
    'A decision waits in this session. Until it is answered, only a token that may decide changes its files and settings',
  );
}
