import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { randomBytes, randomUUID, createHash } from 'node:crypto';
import { invariant } from '@aish/contracts/invariant';
import { AishError } from '@aish/contracts/problems';
import type { CreateToken, NewToken, Token } from '@aish/contracts/tokens';
import { LockNamespace, lockInTransaction } from '@aish/database/advisory-lock';
import { appendAudit } from '@aish/database/audit.repository';
import type { Database } from '@aish/database/client';
import {
  countOtherAdmins,
  describeToken,
  insertToken,
  listTokens,
  revokeToken,
  tokenNameTaken,
} from '@aish/database/tokens.repository';
import { inTransaction } from '@aish/database/transaction';

/** Manages tokens for admins. The secret is shown once, when the token is created. */
@Injectable()
export class TokensService {
  constructor(@Part('db') private readonly db: Database) {}

  list(): Promise<Token[]> {
    return listTokens(this.db.statements);
  }

  /**
   * Creates a token. @param web is set for a browser's session @throws AishError `name_taken`, because verdicts are
   * signed with the name, so no two valid tokens may share one
   */
  create(
    by: string,
    { name, scopes, expiresInDays, projects, owner, app }: CreateToken,
    web?: { readonly parentId: string | null },
  ): Promise<NewToken> {
    return inTransaction(this.db, async (tx) => {
      await lockInTransaction(tx, LockNamespace.tokens, 'all');
      if (await tokenNameTaken(tx, name)) {
        throw new AishError('name_taken', `A token named ${name} already exists. Revoke it, or choose another name`, {
          name,
        });
      }
      const token = `aish_${randomBytes(32).toString('base64url')}`;
      const id = randomUUID();
      await insertToken(tx, {
        id,
        name,
        hash: hashToken(token),
        scopes: [...new Set(scopes)],
        expiresInDays,
        projects,
        owner,
        app,
        web,
      });
      await appendAudit(tx, {
        actor: by,
        action: 'token.created',
        subject: name,
        facts: {
          id,
          scopes,
          expiresInDays: expiresInDays ?? null,
          projects: projects ?? null,
          owner: owner ?? name,
          app: app ?? null,
          ...(web === undefined ? {} : { browser: true }),
        },
      });
      const made = await describeToken(tx, id);
      invariant(made !== null, 'the token that was just made is there');
      return { ...made, token };
    });
  }

  /**
   * Revokes a token at once. Revoking it again changes nothing. @throws AishError `not_found`; `last_admin` if nobody
   * could create tokens afterwards
   */
  revoke(by: string, reference: string): Promise<Token> {
    return inTransaction(this.db, async (tx) => {
      await lockInTransaction(tx, LockNamespace.tokens, 'all');
      const token = await describeToken(tx, reference);
      if (token === null) throw new AishError('not_found', `There is no token ${reference}`);
      if (token.scopes.includes('admin') && token.revokedAt === null && (await countOtherAdmins(tx, token.id)) === 0) {
        throw new AishError('last_admin', `${token.name} is the only admin token. Create another one first`);
      }
      if (await revokeToken(tx, token.id)) {
        await appendAudit(tx, { actor: by, action: 'token.revoked', subject: token.name, facts: { id: token.id } });
      }
      return (await describeToken(tx, token.id)) ?? token;
    });
  }
}

/** Returns the stored form of a token. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
