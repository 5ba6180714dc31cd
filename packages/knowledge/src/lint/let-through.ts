import { createHash } from 'node:crypto';
import { findSecrets, type SecretFinding } from '@aish/secrets';
import { parseOrg, type OrgDocument } from '../org/org-document.js';
import { setProperty } from '../node/write-node.js';

/** Names the texts of a node that look like secrets and that a person let through: these, and no others. */
export const LET_THROUGH = 'SECRETS_ALLOWED';
const DIGEST_CHARS = 16;

/** What a person let through in a node. */
export function letThroughIn({ drawer }: OrgDocument): ReadonlySet<string> {
  const value = drawer?.properties.find(({ key }) => key === LET_THROUGH)?.value ?? '';
  return new Set(value.split(/\s+/).filter((each) => each !== ''));
}

export function isLetThrough(text: string, { span }: SecretFinding, allowed: ReadonlySet<string>): boolean {
  return allowed.has(digestOf(text.slice(...span)));
}

/** The node with all that it holds now let through. @returns also what that is, in words. */
export async function letAllThrough(
  text: string,
): Promise<{ readonly text: string; readonly what: readonly string[] }> {
  const sure = (await findSecrets(text)).filter(({ isSure }) => isSure);
  const allowed = letThroughIn(parseOrg(text));
  const fresh = sure.filter((found) => !isLetThrough(text, found, allowed));
  if (fresh.length === 0) return { text, what: [] };
  const digests = new Set([...allowed, ...fresh.map(({ span }) => digestOf(text.slice(...span)))]);
  const what = [...new Set(fresh.map(({ title, rule }) => `${title} (${rule})`))];
  return { text: setProperty(text, LET_THROUGH, [...digests].join(' ')), what };
}

function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, DIGEST_CHARS);
}
