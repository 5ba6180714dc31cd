import { createHash } from 'node:crypto';
import { findSecrets, type SecretFinding } from '@aish/secrets';
import { parseOrg, type OrgDocument } from '../org/org-document.js';
import { setProperty } from '../node/write-node.js';

/** The property that lists the suspected secrets of a node that a person allowed. No other secrets are allowed. */
export const SECRETS_ALLOWED = 'SECRETS_ALLOWED';
const DIGEST_CHARS = 16;

/** Returns the suspected secrets that a person allowed in a node. */
export function allowedSecretsIn({ drawer }: OrgDocument): ReadonlySet<string> {
  const value = drawer?.properties.find(({ key }) => key === SECRETS_ALLOWED)?.value ?? '';
  return new Set(value.split(/\s+/).filter((each) => each !== ''));
}

export function isAllowedSecret(text: string, { span }: SecretFinding, allowed: ReadonlySet<string>): boolean {
  return allowed.has(digestOf(text.slice(...span)));
}

/**
 * Returns the node with permission for all its suspected secrets.
 *
 * @returns the node's text, and descriptions of those secrets.
 */
export async function allowAllSecrets(
  text: string,
): Promise<{ readonly text: string; readonly what: readonly string[] }> {
  const sure = (await findSecrets(text)).filter(({ isSure }) => isSure);
  const allowed = allowedSecretsIn(parseOrg(text));
  const fresh = sure.filter((found) => !isAllowedSecret(text, found, allowed));
  if (fresh.length === 0) return { text, what: [] };
  const digests = new Set([...allowed, ...fresh.map(({ span }) => digestOf(text.slice(...span)))]);
  const what = [...new Set(fresh.map(({ title, rule }) => `${title} (${rule})`))];
  return { text: setProperty(text, SECRETS_ALLOWED, [...digests].join(' ')), what };
}

function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, DIGEST_CHARS);
}
