import type { RunSecret } from '@aish/contracts/secrets';
import type { Database } from '@aish/database/client';
import { secretsOfSession } from '@aish/database/secrets.repository';
import { openSecret, type SecretBox } from '@aish/secrets/secret-box';

/** The secrets that the commands of a session may use without reading them. */
export type SessionSecrets = (sessionId: string) => Promise<readonly RunSecret[]>;

/** Decrypts the secrets again for each run, so that a revoked secret is missing from the next run. */
export function sessionSecrets(db: Database, box: SecretBox): SessionSecrets {
  return async (sessionId) => {
    const kept = await secretsOfSession(db.statements, sessionId);
    return kept.map((secret) => openSecret(box, sessionId, secret));
  };
}
