import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import type { NetworkConnectionList, NetworkPolicy } from '@aish/contracts/network';
import { AishError } from '@aish/contracts/problems';
import { networkNotice, noticeTurn } from '@aish/prompt';
import { appendAudit } from '@aish/database/audit.repository';
import type { Database } from '@aish/database/client';
import { appendEvents, lastEventSeq } from '@aish/database/events.repository';
import { inTransaction } from '@aish/database/transaction';
import { appendTurn } from '@aish/database/turns.repository';
import type { EventBus } from '@aish/queue';
import type { Sandbox } from '@aish/sandbox-client';

const SANDBOX_TIMEOUT_MS = 10_000;

/**
 * Manages the network policy of a session. The sandbox stores and enforces the policy, and the session's events record
 * who set it.
 */
@Injectable()
export class NetworkService {
  constructor(
    @Part('db') private readonly db: Database,
    @Part('bus') private readonly bus: EventBus,
    @Part('sandbox') private readonly sandbox: Sandbox,
  ) {}

  /** @throws AishError `not_found`, `sandbox_unreachable` */
  async policy(sessionId: string): Promise<NetworkPolicy> {
    await this.check(sessionId);
    return this.sandbox.networkPolicy(sessionId, AbortSignal.timeout(SANDBOX_TIMEOUT_MS));
  }

  /** Sets the policy, which also applies to running commands. @throws AishError `not_found`, `sandbox_unreachable` */
  async set(by: string, sessionId: string, wanted: NetworkPolicy): Promise<NetworkPolicy> {
    await this.check(sessionId);
    const policy = await this.sandbox.setNetworkPolicy(sessionId, wanted, AbortSignal.timeout(SANDBOX_TIMEOUT_MS));
    const seq = await inTransaction(this.db, async (tx) => {
      await appendTurn(tx, sessionId, noticeTurn(networkNotice(policy)));
      await appendAudit(tx, { actor: by, action: 'network.changed', subject: sessionId, facts: { policy } });
      return appendEvents(tx, sessionId, [{ type: 'network.changed', policy, by }]);
    });
    await this.bus.publish({ type: 'events', sessionId, seq, goalId: null, types: ['network.changed'] });
    return policy;
  }

  /** @throws AishError `not_found`, `sandbox_unreachable` */
  async connections(sessionId: string): Promise<NetworkConnectionList> {
    await this.check(sessionId);
    return this.sandbox.networkConnections(sessionId, AbortSignal.timeout(SANDBOX_TIMEOUT_MS));
  }

  private async check(sessionId: string): Promise<void> {
    if ((await lastEventSeq(this.db.statements, sessionId)) === null) {
      throw new AishError('not_found', `There is no session ${sessionId}`);
    }
  }
}
