import { afterAll, describe, expect, it } from '@jest/globals';
import { startTelemetry, type Telemetry } from '@aish/telemetry';
import { StepClock } from './step-clock.js';

let telemetry: Telemetry | undefined;

afterAll(() => telemetry?.shutdown());

describe('what is measured of steps', () => {
  it('is the whole step and what is left without model and command, and nothing of a step that was interrupted', async () => {
    telemetry = await startTelemetry({ service: 'test', version: '1.2.3' });
    const clock = new StepClock('deep');
    clock.end();
    clock.begin();
    clock.away(60_000);
    clock.begin();
    clock.end();
    clock.begin();
    clock.drop();
    clock.end();
    const metrics = await telemetry.prometheus();
    expect(metrics).toMatch(/^aish_step_duration_count\{preset="deep".*\} 2\b/m);
    expect(metrics).toMatch(/^aish_step_overhead_count\{preset="deep".*\} 2\b/m);
    // A minute of model in an instant of step: never less than nothing.
    const sum = Number(/^aish_step_overhead_sum\{preset="deep".*\} (\S+)/m.exec(metrics)?.[1]);
    expect(sum).toBeGreaterThanOrEqual(0);
    expect(sum).toBeLessThan(60);
  });
});
