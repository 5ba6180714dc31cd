import type { RunSecret } from '@aish/contracts/secrets';
import type { Database } from '@aish/database/client';
import { secretsOfSession } from '@aish/database/secrets.repository';
import { openSecret, type SecretBox } from '@aish/secrets/secret-box';

/** What the commands of a session may use without having it. */
export type SessionSecrets = (sessionId: string) => Promise<readonly RunSecret[]>;

/** Opens them for each run anew, so that one that was taken back is gone with the next. */
export function sessionSecrets(db: Database, box: SecretBox): SessionSecrets {
  return async (sessionId) => {
    const kept = await secretsOfSession(db.statements, sessionId);
    return kept.map((secret) => openSecret(box, sessionId, secret));
  };
}
