import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  actionsContract,
  approvalsContract,
  heldContract,
  type ContractKind,
  type ContractSession,
  type World,
} from '@aish/actions/testing';
import type { Verdict } from '@aish/contracts/decisions';
import { invariant } from '@aish/contracts/invariant';
import { isAishError } from '@aish/contracts/problems';
import { elicitationAnswer } from '@aish/contracts/tools';
import { findChat, insertChat } from '@aish/database/chats.repository';
import { decide, listDecisions } from '@aish/database/decisions.repository';
import { insertToken } from '@aish/database/tokens.repository';
import { inTransaction } from '@aish/database/transaction';
import { ChatDriver } from './driver.js';

const CHAT: ContractKind = { name: 'a chat', waits: false, last: 'That was all.', begin };

actionsContract(CHAT);
approvalsContract(CHAT);
heldContract(CHAT);

async function begin(world: World): Promise<ContractSession> {
  const { db, ports, preset } = world;
  const [sessionId, tokenId] = [randomUUID(), randomUUID()];
  const settings = { autoContinue: true, confirmCommands: false, forkedFrom: null };
  await inTransaction(db, async (tx) => {
    await insertChat(tx, { id: sessionId, owner: 'p', title: 't', preset: 'fast', ...settings });
    await insertToken(tx, { id: tokenId, name: tokenId, hash: tokenId, scopes: ['operate'] });
  });
  const failures: unknown[] = [];
  const open = (left: () => void): ChatDriver =>
    new ChatDriver(
      {
        ...ports,
        autoApproves: (label) => label === 'lab.read_sign',
        outlet: { events: () => undefined, live: () => undefined },
        background: () => () => Promise.resolve(null),
        onError: (error) => {
          if (!isAishError(error, 'lock_lost')) failures.push(error);
          left();
        },
        at: async (boundary) => {
          try {
            await world.at(boundary, sessionId);
          } catch (error) {
            left();
            throw error;
          }
          if (boundary === 'drive.left') left();
        },
      },
      {
        presets: [preset],
        commandTimeoutMs: 10_000,
        elicitationWaitMs: 10_000,
        followUps: { autoContinue: true, confirmCommands: false },
        toolShare: 0.1,
        maxToolDepth: 8,
      },
    );
  let isBegun = false;
  return {
    sessionId,
    async drive() {
      const over = new AbortController();
      const driver = open(() => over.abort());
      if (!isBegun) await driver.send({ sessionId, owner: 'p', goalId: null }, 'do it', tokenId);
      isBegun = true;
      for (;;) {
        const chat = await findChat(db.statements, sessionId);
        if (over.signal.aborted || chat?.state !== 'running') break;
        // Quiet while it is driven; the lock of the driver before this one may take a moment to be free.
        await driver.resume(sessionId).catch((error: unknown) => {
          if (!isAishError(error, 'lock_lost')) throw error;
        });
        await sleep(20);
      }
      await driver.shutdown();
      if (failures.length > 0) throw failures[0];
    },
    async decide(verdict: Verdict, values, more = {}) {
      const [asked] = await listDecisions(db.statements, { sessionId, state: 'pending', limit: 1 });
      invariant(asked !== undefined && asked.actionId !== null, 'a person is asked about an action');
      const { actionId } = asked;
      const message = verdict === 'skip' ? 'not that' : null;
      const answer = asked.kind === 'elicitation' ? elicitationAnswer(verdict, values ?? null) : null;
      await inTransaction(db, async (tx) => {
        await decide(tx, asked.id, { verdict, message, by: 'p', ...more });
        await open(() => undefined).decide(tx, sessionId, { actionId, verdict, message, answer, by: 'p' }, []);
      });
    },
  };
}
