import type { HostAnswer, HostSignIn, HostTrial } from '@aish/contracts/hosts';

/** Other machines, as the sandbox services reach them. Who may do what there is decided by whoever calls this. */
export abstract class Hosts {
  /**
   * What becomes of what a run asked for, by a frame `host`. An ask that has ended meanwhile is left alone.
   * @throws AishError `sandbox_unreachable`, `sandbox_interrupted`, `aborted`
   */
  abstract answer(runId: string, id: string, answer: HostAnswer, signal: AbortSignal): Promise<void>;

  /** The keys that an address shows now. @throws AishError `host_unreachable`, `sandbox_unreachable`, `aborted` */
  abstract scan(address: string, port: number, signal: AbortSignal): Promise<readonly string[]>;

  /** Runs the command of a sign-in, for people who set a host up. @throws AishError `sandbox_unreachable`, `aborted` */
  abstract try(signIn: HostSignIn, signal: AbortSignal): Promise<HostTrial>;
}
