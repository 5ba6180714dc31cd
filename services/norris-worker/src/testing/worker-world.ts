import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { Notice } from '@aish/contracts/events';
import { CreateGoal, type Goal } from '@aish/contracts/goals';
import { invariant } from '@aish/contracts/invariant';
import { advanceGoal } from '@aish/contracts/jobs';
import { connectDatabase, type Database } from '@aish/database/client';
import { inTransaction } from '@aish/database/transaction';
import { createTestDatabase } from '@aish/database/testing';
import { createLogger, type Logger } from '@aish/http';
import { createGoal, withMachine, type GoalEvent } from '@aish/sessions';
import { openBus, openQueue, type EventBus, type QueueStore } from '@aish/queue';
import type { GoalPorts } from '../goal-ports.js';

/** The dependencies of a worker, with their own database. */
export interface WorkerWorld {
  readonly db: Database;
  readonly queue: QueueStore;
  readonly bus: EventBus;
  readonly logger: Logger;
  /** The lines that were logged. */
  readonly logged: string[];
  /** Ports that only record the queued goals and the notices since the test began. */
  readonly ports: GoalPorts;
  readonly queued: string[];
  readonly published: Notice[];
  /** Creates a goal that received these events of its machine. */
  goal(input: Partial<CreateGoal>, ...events: readonly GoalEvent[]): Promise<Goal>;
  /** Records the goals of all later jobs, in order. */
  jobs(): { readonly goalIds: readonly string[] };
  close(): Promise<void>;
}

/** Creates a world for all tests of a `describe`, which is available from its first hook. */
export function useWorkerWorld(): WorkerWorld {
  const world: Partial<WorkerWorld> = {};
  beforeAll(async () => void Object.assign(world, await openWorkerWorld()), 120_000);
  beforeEach(() => {
    world.queued?.splice(0);
    world.published?.splice(0);
  });
  afterAll(() => world.close?.());
  return world as WorkerWorld;
}

async function openWorkerWorld(): Promise<WorkerWorld> {
  const server = await createTestDatabase();
  const db = connectDatabase(server.url, { max: 6 });
  const store = { databaseUrl: server.url };
  const [queue, bus] = await Promise.all([openQueue(store), openBus(store)]);
  const logged: string[] = [];
  const queued: string[] = [];
  const published: Notice[] = [];
  return {
    queued,
    published,
    ports: {
      db,
      queueGoal: (goalId) => Promise.resolve(void queued.push(goalId)),
      publish: (notice) => published.push(notice),
    },
    db,
    queue,
    bus,
    logger: createLogger('warn', 'test', { write: (line: string) => void logged.push(line) }),
    logged,
    async goal(input, ...events) {
      const goal = CreateGoal.parse({ text: 'do it', ...input });
      const created = await inTransaction(db, (tx) => createGoal(tx, { goal, createdBy: 'p' }));
      invariant(created !== null, 'a goal without a schedule is new');
      for (const event of events) {
        await inTransaction(db, (tx) => withMachine(tx, created.goal.id, () => Promise.resolve({ event })));
      }
      return created.goal;
    },
    jobs() {
      const goalIds: string[] = [];
      queue.work(advanceGoal, async ({ goalId }) => void goalIds.push(goalId), { concurrency: 1 });
      return { goalIds };
    },
    close: async () => {
      await queue.close();
      await bus.close();
      await db.close();
      await server.drop();
    },
  };
}

/** Waits for something that must happen. Waiting for 30 s means that something hangs. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(20)) if (await isSo()) return;
  throw new Error(`not within 30 s: ${what}`);
}

/** Returns events of a goal whose model wants `rm -rf keep`, so that the goal halts. */
export function halting(haltId: string): readonly GoalEvent[] {
  return [
    { type: 'taken' },
    {
      type: 'answered',
      text: 'CMD: rm -rf keep',
      model: null,
      usage: null,
      notes: [],
      actions: [{ id: haltId, kind: 'command', command: 'rm -rf keep', isCheck: false }],
      goalLine: null,
      checkId: haltId,
      isSchemaEcho: false,
      tookMs: 1,
    },
    {
      type: 'classified',
      judgements: [
        {
          actionId: haltId,
          classification: { verdict: 'destructive', reason: 'deletes', ruleId: 'r', span: null, by: 'rule' },
          grant: null,
        },
      ],
      tookMs: 0,
    },
  ];
}
