import type { RunSecret } from '@aish/contracts/secrets';
import type { Database } from '@aish/database/client';
import { secretsOfSession } from '@aish/database/secrets.repository';
import type { SecretBox } from '@aish/secrets/secret-box';

/** What the commands of a session may use without having it. */
export type SessionSecrets = (sessionId: string) => Promise<readonly RunSecret[]>;

/** What a secret is called where commands and models can see it: another word in each session, the same throughout it. */
export function placeholderFor(box: SecretBox, sessionId: string, name: string): string {
  return `aish-secret-${box.mark(`${sessionId} ${name}`)}`;
}

/** Opens them for each run anew, so that one that was taken back is gone with the next. */
export function sessionSecrets(db: Database, box: SecretBox): SessionSecrets {
  return async (sessionId) => {
    const kept = await secretsOfSession(db.statements, sessionId);
    return kept.map(({ name, sealed, targets, exposed, body, certificate }) => ({
      name,
      value: box.open(sealed, name),
      placeholder: placeholderFor(box, sessionId, name),
      targets,
      exposed,
      body,
      certificate,
    }));
  };
}
