import { AishError } from '@aish/contracts/problems';
import { allows } from '@aish/contracts/tokens';
import { hasPendingDecision } from '@aish/database/decisions.repository';
import type { Database } from '@aish/database/client';
import type { ApiTokenRow } from '@aish/database/tokens.repository';

/**
 * Checks that the caller may change a session. A person decides about the files and settings that they saw, so tokens
 * that may not decide cannot change these before the verdict. @throws AishError `decision_waits`
 */
export async function needMayChange(
  { statements }: Database,
  sessionId: string,
  { scopes }: Pick<ApiTokenRow, 'scopes'>,
): Promise<void> {
  if (allows(scopes, 'decide') || !(await hasPendingDecision(statements, sessionId))) return;
  throw new AishError(
    'decision_waits',
    'A decision is pending in this session. Until it is answered, only a token with scope decide can change files and settings',
  );
}
