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
import { ROOT, ServiceExited } from '../support/service.process.js';
import { Stack } from '../support/stack.js';

const WORKERS = 6;

/** An aish with workers and apis that kill themselves according to a plan in `dir`, and are then restarted. */
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
      // Each worker runs only one goal, so that a kill affects only the runner of that goal.
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

/** Restarts a service after each kill. */
async function keepAlive(service: Service, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(50);
    if (signal.aborted || service.isRunning) continue;
    await service.kill('SIGKILL');
    // The service may kill itself before it is seen to be healthy, and is then restarted.
    await service.start().catch((error: unknown) => {
      const { cause } = error as Error;
      if (!(cause instanceof ServiceExited && cause.how === 'SIGKILL')) throw error;
    });
  }
  // A service that killed itself at the end is not a failure.
  if (!service.isRunning) await service.kill('SIGKILL');
}
