import { measured } from '@aish/telemetry';

/** Measures the steps of one goal in one runner. It ignores steps that a person or an outage interrupts. */
export class StepClock {
  private beganAt: number | null = null;
  private awayMs = 0;

  constructor(private readonly preset: string) {}

  /** Call this when the next step is written, which ends the previous step. */
  begin(): void {
    this.end();
    this.beganAt = performance.now();
    this.awayMs = 0;
  }

  /** Adds the time that the model or a command took in this step, in milliseconds. */
  exclude(ms: number): void {
    this.awayMs += ms;
  }

  end(): void {
    if (this.beganAt === null) return;
    const tookMs = performance.now() - this.beganAt;
    const labels = { preset: this.preset };
    measured.step.record(tookMs / 1000, labels);
    measured.stepOverhead.record(Math.max(0, tookMs - this.awayMs) / 1000, labels);
    this.beganAt = null;
  }

  /** Discards the measurement of the current step. */
  drop(): void {
    this.beganAt = null;
  }
}
