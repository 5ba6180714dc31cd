import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ScriptedModel } from '@aish/rehearsal';
import { startMortalPostgres, type MortalPostgres } from '@aish/tests/support/mortal.postgres';
import { Stack } from '@aish/tests/support/stack';
import type { Figures } from '../benchmark.js';

/** All of aish on a durable Postgres, with two workers that write down which boundaries their goals pass. */
export interface Aish {
  readonly stack: Stack;
  readonly model: ScriptedModel;
  readonly postgres: MortalPostgres;
  readonly dir: string;
  readonly progress: (line: string) => void;
}

export async function withStack(
  model: ScriptedModel,
  redisUrl: string | undefined,
  progress: (line: string) => void,
  fn: (aish: Aish) => Promise<Figures>,
): Promise<Figures> {
  const dir = await mkdtemp(join(tmpdir(), 'aish-norris-bench-'));
  const postgres = await startMortalPostgres();
  const preload = new URL('boundaries.main.js', import.meta.url).href;
  const stack = await Stack.start({
    modelUrl: model.url,
    ...(redisUrl === undefined ? {} : { redisUrl }),
    workers: 2,
    database: { url: postgres.url, drop: () => postgres.drop() },
    env: { NODE_OPTIONS: `--import ${preload}`, BOUNDARIES_DIR: dir, LOG_LEVEL: 'warn' },
  });
  try {
    return await fn({ stack, model, postgres, dir, progress });
  } finally {
    await stack.stop();
    await rm(dir, { recursive: true, force: true });
  }
}
