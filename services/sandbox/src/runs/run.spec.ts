import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@aish/http';
import { Run } from './run.js';

function newRun() {
  const leaving = new AbortController();
  const run = new Run('run', 'workspace', {
    limits: { keptMaxBytes: 1_024, streamedMaxBytes: 1_024 },
    log: createLogger('error', 'spec'),
    leaving: leaving.signal,
    keepConnection: () => undefined,
  });
  return { run, leaving };
}

describe('runs', () => {
  it('a run is stopped for the first reason given, and its output names that reason once', () => {
    const { run } = newRun();
    expect([run.stopReason, run.stopped.aborted]).toEqual([null, false]);
    run.stop('disk', 'the workspace is full: killed');
    run.stop('cancel', 'somebody cancelled');
    expect([run.stopReason, run.stopped.aborted]).toEqual(['disk', true]);
    expect(run.output.result().text).toBe('aish: the workspace is full: killed\n');
  });

  it('the closers of a run abort when the service stops, including those created later', () => {
    const { run, leaving } = newRun();
    const [first, second] = [run.closer(), run.closer()];
    second.abort();
    expect(first.signal.aborted).toBe(false);
    leaving.abort();
    expect([first.signal.aborted, run.closer().signal.aborted]).toEqual([true, true]);
  });

  it('the promises of a run reject if it cannot begin, without an unhandled rejection', async () => {
    const { run } = newRun();
    run.admitted.reject(new Error('no room'));
    run.ended.reject(new Error('no room'));
    await expect(run.admitted.promise).rejects.toThrow('no room');
    await expect(run.ended.promise).rejects.toThrow('no room');
  });

  it('a run reports its end through its promise and to its listeners', async () => {
    const { run } = newRun();
    const listener = run.output.listen();
    run.end(run.status('lost', null), { type: 'error', problem: { code: 'run_lost' } });
    expect(await run.ended.promise).toEqual({ runId: 'run', state: 'lost', outcome: null, connections: [] });
    const { value } = await listener.read(new AbortController().signal).next();
    expect(value).toEqual({ type: 'error', problem: { code: 'run_lost' } });
  });
});
