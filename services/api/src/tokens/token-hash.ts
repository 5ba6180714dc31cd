import { createHash } from 'node:crypto';

/** The form in which a token is kept. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
