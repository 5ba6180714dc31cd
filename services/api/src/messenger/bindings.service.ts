import { randomInt } from 'node:crypto';
import type { MessengerCode } from '@aish/contracts/messengers';
import { AishError } from '@aish/contracts/problems';
import { appendAudit } from '@aish/database/audit.repository';
import type { Database } from '@aish/database/client';
import { bindMessengerAccount, saveMessengerCode, takeMessengerCode } from '@aish/database/messengers.repository';
import { mustHold, type ApiTokenRow } from '@aish/database/tokens.repository';
import { inTransaction } from '@aish/database/transaction';
import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { hashToken } from '../tokens/tokens.service.js';
import type { Messengers, Place } from './messenger.js';

const MINUTES = 10;
/** There are no vowels, so that no words appear. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
/** Anybody can write to a bot, so nobody must be able to guess a code: there are 4 × 10^15. */
const LENGTH = 12;

/** Binds the accounts of messengers to people, with codes that a signed-in person gets from aish. */
@Injectable()
export class MessengerBindings {
  constructor(
    @Part('db') private readonly db: Database,
    @Part('messengers') private readonly messengers: Messengers,
  ) {}

  /** The key of the tickets in messages. */
  get key(): Uint8Array {
    return this.messengers.key;
  }

  /** Returns a code for the person of this token. @throws AishError `messengers_off`; `forbidden` for an app */
  async code(token: ApiTokenRow): Promise<MessengerCode> {
    const messengers = this.messengers.all.map(({ name }) => name);
    if (messengers.length === 0) {
      throw new AishError('messengers_off', 'No messenger is set up. Set TELEGRAM_TOKEN or MATRIX_URL');
    }
    if (token.app !== null) throw new AishError('forbidden', 'An app cannot have a messenger account');
    const letters = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
    const expiresAt = new Date(Date.now() + MINUTES * 60_000);
    await inTransaction(this.db, (tx) => saveMessengerCode(tx, token.id, hashToken(letters), expiresAt));
    const code = letters.replaceAll(/(.{4})(?=.)/g, '$1-');
    return { code, expiresAt: expiresAt.toISOString(), messengers };
  }

  /** Binds an account with a code. @returns the person's token @throws AishError `expired_token`, `unauthorized` */
  async bind({ channel, account, room }: Place, code: string): Promise<ApiTokenRow> {
    const token = await inTransaction(this.db, async (tx) => {
      const tokenId = await takeMessengerCode(tx, hashToken(code));
      if (tokenId === null) return null;
      const holding = await mustHold(tx, tokenId);
      await bindMessengerAccount(tx, channel, { account, room, tokenId });
      const facts = { channel, account, room };
      await appendAudit(tx, { actor: holding.name, action: 'messenger.bound', subject: account, facts });
      return holding;
    });
    if (token === null) {
      throw new AishError('expired_token', 'This code is wrong or has expired. Get another one: aish messenger bind');
    }
    return token;
  }
}
