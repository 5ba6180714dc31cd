import type { HostAnswer, HostSignIn, HostTrial } from '@aish/contracts/hosts';

/** Hosts that the sandbox services can reach. The caller decides about permissions. */
export abstract class Hosts {
  /**
   * Answers a run's `host` frame. It does nothing if the request has already ended.
   *
   * @throws AishError `sandbox_unreachable`, `sandbox_interrupted`, `aborted`
   */
  abstract answer(runId: string, id: string, answer: HostAnswer, signal: AbortSignal): Promise<void>;

  /**
   * Returns the keys that an address presents now.
   *
   * @throws AishError `host_unreachable`, `sandbox_unreachable`, `aborted`
   */
  abstract scan(address: string, port: number, signal: AbortSignal): Promise<readonly string[]>;

  /**
   * Runs the command of a sign-in, to test a host's setup.
   *
   * @throws AishError `sandbox_unreachable`, `aborted`
   */
  abstract try(signIn: HostSignIn, signal: AbortSignal): Promise<HostTrial>;
}
