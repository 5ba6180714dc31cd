import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContractSession, World } from '@aish/actions/testing';
import type { Verdict } from '@aish/contracts/decisions';
import { invariant } from '@aish/contracts/invariant';
import { isAishError } from '@aish/contracts/problems';
import type { Trust } from '@aish/contracts/trust';
import { elicitationAnswer } from '@aish/contracts/tools';
import { findChat, insertChat } from '@aish/database/chats.repository';
import { decide, listDecisions } from '@aish/database/decisions.repository';
import { insertToken } from '@aish/database/tokens.repository';
import { inTransaction } from '@aish/database/transaction';
import { ChatRunner } from '../chat/chat-runner.js';
import type { ChatSettings } from '../chat/chat-ports.js';

/** Settings that differ from a chat that asks only about actions that rules stop, and continues after each command. */
interface Chosen extends Partial<
  Pick<ChatSettings, 'maxToolDepth' | 'maxChatSteps' | 'trustMax' | 'confirmReads' | 'readsGoOn'>
> {
  readonly trust?: Trust;
  readonly confirmCommands?: boolean;
  readonly autoContinue?: boolean;
}

/** Begins a chat with a runner, as the contract tests of actions require. */
export async function beginChat(world: World, chosen: Chosen = {}): Promise<ContractSession> {
  const { db, ports, preset } = world;
  const [sessionId, tokenId] = [randomUUID(), randomUUID()];
  const { trust = 'ask', confirmCommands = false, autoContinue = true, ...bounds } = chosen;
  const settings = { autoContinue, confirmCommands, trust, forkedFrom: null };
  await inTransaction(db, async (tx) => {
    await insertChat(tx, { id: sessionId, owner: 'p', title: 't', preset: 'fast', ...settings });
    await insertToken(tx, { id: tokenId, name: tokenId, hash: tokenId, scopes: ['operate'] });
  });
  const failures: unknown[] = [];
  const open = (left: () => void): ChatRunner =>
    new ChatRunner(
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
        maxChatSteps: 24,
        trustMax: 'undoable',
        confirmReads: false,
        readsGoOn: true,
        grants: true,
        ...bounds,
      },
    );
  let isBegun = false;
  return {
    sessionId,
    async run() {
      const over = new AbortController();
      const runner = open(() => over.abort());
      if (!isBegun) await runner.send({ sessionId, owner: 'p', goalId: null }, 'do it', tokenId);
      isBegun = true;
      for (;;) {
        const chat = await findChat(db.statements, sessionId);
        if (over.signal.aborted || chat?.state !== 'running') break;
        // Errors are ignored while the chat runs. The previous runner may hold its lock for another moment.
        await runner.resume(sessionId).catch((error: unknown) => {
          if (!isAishError(error, 'lock_lost')) throw error;
        });
        await sleep(20);
      }
      await runner.shutdown();
      if (failures.length > 0) throw failures[0];
    },
    async decide(verdict: Verdict, values, more = {}) {
      const [asked] = await listDecisions(db.statements, { sessionId, state: 'pending', limit: 1 });
      invariant(asked !== undefined, 'a person is asked');
      const { actionId } = asked;
      const message = more.message ?? (verdict === 'skip' ? 'not that' : null);
      const answer = asked.kind === 'elicitation' ? elicitationAnswer(verdict, values ?? null) : null;
      await inTransaction(db, async (tx) => {
        await decide(tx, asked.id, { verdict, by: 'p', ...more, message });
        const access = verdict === 'proceed' ? ['nas is within reach'] : null;
        const counted = asked.attempt === undefined ? {} : { attempt: asked.attempt };
        const event =
          actionId === null
            ? ({ type: 'needDecided', verdict, access, message, by: 'p' } as const)
            : ({ type: 'decided', actionId, verdict, message, answer, edited: null, by: 'p', ...counted } as const);
        await open(() => undefined).decide(tx, sessionId, event, []);
      });
    },
  };
}
