import type { RunFrame, RunOutcome, RunRequestInput, RunStatus, SandboxStatus } from '@aish/contracts';

/** Runs commands in disposable containers. */
export abstract class Sandbox {
  /**
   * Runs `command` once per `runId`; a known id attaches to that run instead of starting another. Output comes in order
   * and ends with exactly one `exit`. Aborting leaves the run alone: it goes on, and may be attached to again.
   * @throws AishError `sandbox_unreachable`, `engine_unavailable`, `image_missing`, `runtime_missing`,
   *   `disk_full`, `too_many`, `service_stopping`:
   *   nothing has begun. `sandbox_interrupted`: it may have begun; ask `status`. `run_lost`: nobody knows how it ended.
   *   `command_too_long`, `invalid_body`: it will never run. `aborted`: the signal.
   */
  abstract run(request: RunRequestInput, signal: AbortSignal): AsyncIterable<Exclude<RunFrame, { type: 'error' }>>;

  /** What became of a run, or null when the sandbox has never heard of it. */
  abstract status(runId: string, signal: AbortSignal): Promise<RunStatus | null>;

  /** Kills the container of a run. Returns how it ended, or null when nobody knows. */
  abstract cancel(runId: string, signal: AbortSignal): Promise<RunOutcome | null>;

  /** Whether commands can run, and if not why. */
  abstract describe(signal: AbortSignal): Promise<SandboxStatus>;
}
