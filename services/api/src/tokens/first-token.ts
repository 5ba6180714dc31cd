import { randomBytes, randomUUID } from 'node:crypto';
import { open, rename } from 'node:fs/promises';
import { LockNamespace, lockInTransaction } from '@aish/database/advisory-lock';
import type { Database } from '@aish/database/client';
import { countTokens, insertToken } from '@aish/database/tokens.repository';
import { inTransaction } from '@aish/database/transaction';
import { hashToken } from './tokens.service.js';

/**
 * Creates the first admin token if there is none. Only its hash is stored. The token itself is written once, to `path`
 * with mode 0600, where the local client reads it. @returns whether a token was created
 */
export async function ensureFirstToken(db: Database, path: string): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    await lockInTransaction(tx, LockNamespace.tokens, 'first');
    if ((await countTokens(tx)) > 0) return false;
    const token = `aish_${randomBytes(32).toString('base64url')}`;
    // The file is written first: after a crash in between, the next start replaces the file, and no token is lost.
    await writeSecret(path, `${token}\n`);
    await insertToken(tx, { id: randomUUID(), name: 'admin', hash: hashToken(token), scopes: ['admin'] });
    return true;
  });
}

async function writeSecret(path: string, content: string): Promise<void> {
  const part = `${path}.${process.pid}.part`;
  const file = await open(part, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(part, path);
}
