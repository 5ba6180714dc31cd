import { createHash, timingSafeEqual } from 'node:crypto';

/** Returns the token of an `Authorization: Bearer …` header, or null if the header is absent or of another kind. */
export function bearerToken(header: string | undefined): string | null {
  return /^Bearer +([^\s]+)$/i.exec(header ?? '')?.[1] ?? null;
}

/**
 * Whether `header` is `Bearer <secret>`. The time does not depend on the header, so nobody can guess the secret byte by
 * byte.
 */
export function bearerMatches(header: string | undefined, secret: string): boolean {
  const given = bearerToken(header);
  // timingSafeEqual needs equal lengths, which hashes have. They also hide the length of the secret.
  return given !== null && secret !== '' && timingSafeEqual(digest(given), digest(secret));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
