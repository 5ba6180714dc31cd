import { afterAll, describe, expect, it } from '@jest/globals';
import { startTelemetry, type Telemetry } from '@aish/telemetry';
import { StepClock } from './step-clock.js';

let telemetry: Telemetry | undefined;

afterAll(() => telemetry?.shutdown());

describe('StepClock', () => {
  it('the step clock measures whole steps and their overhead, and ignores interrupted steps', async () => {
    telemetry = await startTelemetry({ service: 'test', version: '1.2.3' });
    const clock = new StepClock('deep');
    clock.end();
    clock.begin();
    clock.exclude(60_000);
    clock.begin();
    clock.end();
    clock.begin();
    clock.drop();
    clock.end();
    const metrics = await telemetry.prometheus();
    expect(metrics).toMatch(/^aish_step_duration_count\{preset="deep".*\} 2\b/m);
    expect(metrics).toMatch(/^aish_step_overhead_count\{preset="deep".*\} 2\b/m);
    // The model takes a minute in a very short step. The overhead is never negative.
    const sum = Number(/^aish_step_overhead_sum\{preset="deep".*\} (\S+)/m.exec(metrics)?.[1]);
    expect(sum).toBeGreaterThanOrEqual(0);
    expect(sum).toBeLessThan(60);
  });
});
