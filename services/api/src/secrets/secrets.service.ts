import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { AishError } from '@aish/contracts/problems';
import { addressOf, type Secret, type SessionSecrets, type SetSecret } from '@aish/contracts/secrets';
import { noticeTurn, secretsNotice } from '@aish/prompt';
import { appendAudit } from '@aish/database/audit.repository';
import type { Database } from '@aish/database/client';
import { appendEvents, lastEventSeq } from '@aish/database/events.repository';
import {
  deleteSecret,
  listSecrets,
  secretsOfSession,
  writeSecret,
  writeSessionSecrets,
  type SealedSecret,
} from '@aish/database/secrets.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Tx } from '@aish/database/tx';
import { appendTurn } from '@aish/database/turns.repository';
import type { EventBus } from '@aish/queue';
import type { SecretBox } from '@aish/secrets/secret-box';

/** Manages secrets for admins. Secrets are set and used, but never shown. */
@Injectable()
export class SecretsService {
  constructor(
    @Part('db') private readonly db: Database,
    @Part('bus') private readonly bus: EventBus,
    @Part('secretBox') private readonly box: SecretBox,
  ) {}

  async list(): Promise<Secret[]> {
    return (await listSecrets(this.db.statements)).map(shown);
  }

  /** Sets all properties of a secret, and replaces an existing secret with its name. */
  set(by: string, name: string, secret: SetSecret): Promise<Secret> {
    return inTransaction(this.db, (tx) => this.write(tx, by, name, secret));
  }

  /** Does the same within the caller's transaction. */
  async write(
    tx: Tx,
    by: string,
    name: string,
    { value, targets, exposed, body, certificate }: SetSecret,
  ): Promise<Secret> {
    const sealed = this.box.seal(value, name);
    await writeSecret(tx, { name, sealed, targets, exposed, body, certificate, setBy: by });
    const facts = { targets: targets.map(addressOf), exposed, body };
    await appendAudit(tx, { actor: by, action: 'secret.set', subject: name, facts });
    return { name, targets, exposed, body, certificate, setBy: by, setAt: new Date().toISOString() };
  }

  /** Removes a secret. From now on no command may use it. @throws AishError `not_found` */
  remove(by: string, name: string): Promise<Secret> {
    return inTransaction(this.db, (tx) => this.delete(tx, by, name));
  }

  /** Does the same within the caller's transaction. */
  async delete(tx: Tx, by: string, name: string): Promise<Secret> {
    const removed = await deleteSecret(tx, name);
    if (removed === null) throw noSecret(name);
    await appendAudit(tx, { actor: by, action: 'secret.removed', subject: name });
    return shown(removed);
  }

  /** @throws AishError `not_found` */
  async ofSession(sessionId: string): Promise<SessionSecrets> {
    await this.check(sessionId);
    return { names: (await secretsOfSession(this.db.statements, sessionId)).map(({ name }) => name) };
  }

  /** Gives the session's commands exactly these secrets, from the next command on. @throws AishError `not_found` */
  async give(by: string, sessionId: string, names: readonly string[]): Promise<SessionSecrets> {
    await this.check(sessionId);
    const { given, seq } = await inTransaction(this.db, async (tx) => {
      const written = await writeSessionSecrets(tx, sessionId, names);
      const missing = names.find((name) => !written.includes(name));
      if (missing !== undefined) throw noSecret(missing);
      await appendTurn(tx, sessionId, noticeTurn(secretsNotice(await secretsOfSession(tx, sessionId))));
      await appendAudit(tx, { actor: by, action: 'secrets.changed', subject: sessionId, facts: { names: written } });
      return {
        given: written,
        seq: await appendEvents(tx, sessionId, [{ type: 'secrets.changed', names: written, by }]),
      };
    });
    await this.bus.publish({ type: 'events', sessionId, seq, goalId: null, types: ['secrets.changed'] });
    return { names: given };
  }

  private async check(sessionId: string): Promise<void> {
    if ((await lastEventSeq(this.db.statements, sessionId)) === null) {
      throw new AishError('not_found', `There is no session ${sessionId}`);
    }
  }
}

function shown({ name, targets, exposed, body, certificate, setBy, setAt }: SealedSecret): Secret {
  return { name, targets, exposed, body, certificate, setBy, setAt };
}

function noSecret(name: string): AishError {
  return new AishError('not_found', `There is no secret ${name}. Set it first: aish secret set ${name} --for HOST`);
}
