import { setTimeout as sleep } from 'node:timers/promises';
import type { ContractSession, World } from '@aish/actions/testing';
import type { Verdict } from '@aish/contracts/decisions';
import { CreateGoal } from '@aish/contracts/goals';
import { invariant } from '@aish/contracts/invariant';
import type { Trust } from '@aish/contracts/trust';
import { listDecisions } from '@aish/database/decisions.repository';
import { inTransaction } from '@aish/database/transaction';
import { createGoal } from '../goal/create-goal.js';
import { GoalRunner } from '../goal/goal-runner.js';
import { giveVerdict } from '../goal/give-verdict.js';
import { ModelSlots } from '../model-slots.js';

interface Trusted {
  readonly trust?: Trust;
  /** The highest trust that an admin allows when the goal runs. */
  readonly most?: Trust;
  readonly planFirst?: boolean;
}

/** Begins a goal with its own runner in a test world. */
export async function beginGoal(
  world: World,
  { trust = 'ask', most = 'undoable', planFirst = false }: Trusted = {},
): Promise<ContractSession> {
  const { db, ports, preset } = world;
  const created = await inTransaction(db, (tx) =>
    createGoal(tx, { goal: CreateGoal.parse({ text: 'do it', trust, planFirst }), createdBy: 'p' }),
  );
  invariant(created !== null, 'a goal without a schedule is new');
  const { id: goalId, sessionId } = created.goal;
  const runner = new GoalRunner(
    {
      ...ports,
      autoApproves: (label) => label === 'lab.read_sign',
      slots: new ModelSlots(1),
      memory: () => Promise.resolve(null),
      publish: () => undefined,
      onError: (error) => {
        throw error;
      },
      at: (boundary) => world.at(boundary, goalId),
    },
    {
      presets: [preset],
      commandTimeoutMs: 10_000,
      elicitationWaitMs: 10_000,
      toolShare: 0.1,
      waitMinMs: 50,
      waitMaxMs: 200,
      lockWaitMs: 5_000,
      grants: true,
      trustMax: most,
    },
  );
  return {
    sessionId,
    async run() {
      for (;;) {
        const { wakeInMs } = await runner.run(goalId, new AbortController().signal);
        if (wakeInMs === null) return;
        await sleep(wakeInMs);
      }
    },
    async decide(verdict: Verdict, answer, more = {}) {
      const [asked] = await listDecisions(db.statements, { sessionId, state: 'pending', limit: 1 });
      invariant(asked !== undefined, 'a person is asked');
      const message = verdict === 'skip' ? 'not that' : null;
      const isGiven = asked.kind === 'need' && verdict === 'proceed';
      const give = isGiven ? { give: () => Promise.resolve(['nas is within reach']) } : {};
      const given = {
        verdict,
        message,
        edited: null,
        granted: null,
        answer: answer ?? null,
        by: 'p',
        ...give,
        ...more,
      };
      await inTransaction(db, (tx) => giveVerdict(tx, asked, given));
    },
  };
}
