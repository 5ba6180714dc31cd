import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@aish/http';
import { StartupThrottle } from '../scheduling/startup.throttle.js';
import { WorkspaceUse } from '../workspaces/workspace.use.js';
import { Admission } from './admission.js';
import { Run } from './run.js';

const STARTS = Math.max(1, availableParallelism() - 1);

function newRun(): Run {
  return new Run(randomUUID(), randomUUID(), {
    limits: { keptMaxBytes: 1_024, streamedMaxBytes: 1_024 },
    log: createLogger('error', 'spec'),
    leaving: new AbortController().signal,
    keepConnection: () => undefined,
  });
}

function newAdmission(use = new WorkspaceUse()): Admission {
  // The engine is always available here. Other specs cover its absence.
  const engine = { ready: () => Promise.resolve() };
  return new Admission(engine, use, new StartupThrottle(), { RUNS_AT_ONCE: 64, RUNS_QUEUED: 2 });
}

describe('background runs', () => {
  it('a background run waits while too many others are starting, but a run for a person does not', async () => {
    const admission = newAdmission();
    const turns = await Promise.all(
      Array.from({ length: STARTS }, () => admission.enter(newRun(), { background: true })),
    );
    const order: string[] = [];
    const next = admission.enter(newRun(), { background: true }).then((turn) => (order.push('goal'), turn));
    const person = await admission.enter(newRun(), { background: false });
    order.push('person');
    expect([order, admission.isCrowded, admission.running]).toEqual([['person'], true, STARTS + 1]);
    turns[0]?.begun();
    await next;
    expect([order, admission.isCrowded, admission.running]).toEqual([['person', 'goal'], false, STARTS + 2]);
    for (const turn of [...turns, await next, person]) turn?.over();
    expect(admission.running).toBe(0);
  });

  it('a start that hangs does not block other runs', async () => {
    const admission = newAdmission();
    await Promise.all(Array.from({ length: STARTS }, () => admission.enter(newRun(), { background: true })));
    expect(await admission.enter(newRun(), { background: true })).not.toBeNull();
    expect([admission.running, admission.isCrowded]).toEqual([STARTS + 1, false]);
  }, 30_000);

  it('a waiting run that is stopped frees its place, and runs beyond the limit are refused', async () => {
    const admission = newAdmission();
    const first = await Promise.all(
      Array.from({ length: STARTS }, () => admission.enter(newRun(), { background: true })),
    );
    const waiting = [newRun(), newRun()];
    const entered = waiting.map((run) => admission.enter(run, { background: true }));
    await Promise.all(waiting.map((run) => run.admitted.promise));
    await expect(admission.enter(newRun(), { background: true })).rejects.toMatchObject({ code: 'too_many' });
    waiting[0]?.stop('cancel');
    expect(await entered[0]).toBeNull();
    for (const turn of first) turn?.over();
    (await entered[1])?.over();
    expect([admission.running, admission.isCrowded]).toEqual([0, false]);
  });
});

describe('runs in a locked workspace', () => {
  it('a run waits until its workspace is unlocked, but the preview that locked it begins at once', async () => {
    const use = new WorkspaceUse();
    const admission = newAdmission(use);
    const [run, preview] = [newRun(), newRun()];
    const free = [run, preview].map(({ workspaceId }) => use.hold(workspaceId));
    preview.isPreview = true;
    expect(await admission.enter(preview, { background: false })).not.toBeNull();
    const order: string[] = [];
    const entered = admission.enter(run, { background: false }).then(() => order.push('begun'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    order.push('freed');
    for (const give of free) give?.();
    await entered;
    expect(order).toEqual(['freed', 'begun']);
  });
});
