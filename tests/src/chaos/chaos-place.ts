import { connectDatabase, type Database } from '@aish/database/client';
import { startTestRedis } from '@aish/queue/testing';
import { startScriptedModel, type Script } from '@aish/demo-model';
import { closeAll } from '../support/close-all.js';
import { startMortalPostgres } from '../support/mortal.postgres.js';
import { Stack } from '../support/stack.js';
import { victimsOf, type Victim } from './victims.js';

/**
 * An aish with a durable Postgres and, unless it is the small form, a Redis. All may be killed, except the model.
 */
export interface ChaosPlace {
  readonly stack: Stack;
  readonly db: Database;
  readonly victims: readonly Victim[];
}

export async function atChaosPlace<T>(
  {
    script,
    workers,
    isSmall = false,
    env = {},
  }: {
    readonly script: Script;
    readonly workers: number;
    readonly isSmall?: boolean;
    readonly env?: Readonly<Record<string, string>>;
  },
  fn: (place: ChaosPlace) => Promise<T>,
): Promise<T> {
  const model = await startScriptedModel({ script });
  const redis = isSmall ? null : await startTestRedis();
  const postgres = await startMortalPostgres();
  let stack: Stack | undefined;
  let db: Database | undefined;
  try {
    stack = await Stack.start({
      modelUrl: model.url,
      ...(redis === null ? {} : { redisUrl: redis.url }),
      workers,
      isSmall,
      ownProcesses: true,
      env,
      database: { url: postgres.url, drop: () => postgres.drop() },
    });
    db = connectDatabase(postgres.url, { max: 2 });
    return await fn({ stack, db, victims: victimsOf(stack, redis, postgres) });
  } finally {
    await closeAll(
      () => db?.close(),
      () => stack?.stop() ?? postgres.drop(),
      () => redis?.drop(),
      () => model.close(),
    );
  }
}
