import { measured } from '@aish/telemetry';

/** Measures steps of one goal, in one driver: a step that a person or the world interrupts is none. */
export class StepClock {
  private beganAt: number | null = null;
  private awayMs = 0;

  constructor(private readonly preset: string) {}

  /** The next step is written; the one before has ended. */
  begin(): void {
    this.end();
    this.beganAt = performance.now();
    this.awayMs = 0;
  }

  /** Time of the step that the model or a command took, milliseconds. */
  away(ms: number): void {
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

  /** It is not to be measured. */
  drop(): void {
    this.beganAt = null;
  }
}
