import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { openQueue, type QueueStore } from '@aish/queue';
import { startScriptedModel, type ScriptedModel } from '@aish/demo-model';
import { closeAll } from '../support/close-all.js';
import { plan, plans } from '../support/plan.js';
import type { Service } from '../support/service.js';
import { ROOT } from '../support/service.process.js';
import { Stack } from '../support/stack.js';

const WORKERS = 6;

/** All of aish, with workers and apis that kill themselves where a plan in `dir` says so, and are started again. */
export interface KillPlace {
  readonly stack: Stack;
  readonly queue: QueueStore;
  readonly model: ScriptedModel;
  readonly dir: string;
}

export async function atKillPlace<T>(fn: (place: KillPlace) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'aish-kill-matrix-'));
  const model = await startKilledModel();
  const preload = pathToFileURL(join(ROOT, 'tests/dist/chaos/kill-at.main.js')).href;
  let stack: Stack | undefined;
  let queue: QueueStore | undefined;
  const stopping = new AbortController();
  let keeping: Promise<unknown> = Promise.resolve();
  try {
    stack = await Stack.start({
      modelUrl: model.url,
      workers: WORKERS,
      hasSecondApi: true,
      ownProcesses: true,
      // One goal per worker: a kill is of that goal's driver alone.
      env: { WORKER_CONCURRENCY: '1', NODE_OPTIONS: `--import ${preload}`, KILL_DIR: dir, SANDBOX_LAYERS: 'on' },
    });
    queue = await openQueue({ databaseUrl: stack.database.url });
    const mortal = [...stack.workers, stack.api, stack.secondApi].filter((service) => service !== null);
    keeping = Promise.all(mortal.map((service) => keepAlive(service, stopping.signal)));
    return await fn({ stack, queue, model, dir });
  } finally {
    stopping.abort();
    await closeAll(
      () => keeping,
      () => queue?.close(),
      () => stack?.stop(),
      () => model.close(),
      () => rm(dir, { recursive: true, force: true }),
    );
  }
}

function startKilledModel(): Promise<ScriptedModel> {
  const refused = new Set<string>();
  const steps = plan(
    'CMD: echo ran >> log; sleep 0.3',
    'CMD: cat log 2>/dev/null | wc -l',
    'GOAL: complete\nThat was all.',
  );
  return startScriptedModel({
    script: plans({
      plain: steps,
      halts: plan('CMD: echo ran >> log', 'CMD: rm -rf keep; cat log 2>/dev/null | wc -l', 'GOAL: complete'),
      holds: plan('CMD: echo ran >> log', 'CMD: cp log old; cat log 2>/dev/null | wc -l', 'GOAL: complete'),
      waits: (messages, n) => {
        const goal = messages[1]?.content ?? '';
        if (refused.has(goal)) return steps(messages, n);
        refused.add(goal);
        return { status: 401, body: { error: { message: 'not yet', code: 401 } } };
      },
    }),
  });
}

/** Starts it again whenever it was killed. */
async function keepAlive(service: Service, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(50);
    if (signal.aborted || service.isRunning) continue;
    await service.kill('SIGKILL');
    // It may be at work at once and kill itself before it is seen to be healthy: then it is started again.
    await service.start().catch((error: unknown) => {
      if (!String((error as Error).cause).includes('ended with SIGKILL')) throw error;
    });
  }
  // One that killed itself last is none that failed to end.
  if (!service.isRunning) await service.kill('SIGKILL');
}
