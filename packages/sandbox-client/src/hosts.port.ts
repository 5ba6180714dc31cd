import type { HostAnswer, HostSignIn, HostTrial } from '@aish/contracts/hosts';

/** Other machines, as the sandbox services reach them. The caller decides who may do what there. */
export abstract class Hosts {
  /**
   * Answers a request that a run made with a frame `host`. If the request has ended already, nothing happens.
   * @throws AishError `sandbox_unreachable`, `sandbox_interrupted`, `aborted`
   */
  abstract answer(runId: string, id: string, answer: HostAnswer, signal: AbortSignal): Promise<void>;

  /** The keys that an address shows now. @throws AishError `host_unreachable`, `sandbox_unreachable`, `aborted` */
  abstract scan(address: string, port: number, signal: AbortSignal): Promise<readonly string[]>;

  /** Runs the command of a sign-in, for people who set a host up. @throws AishError `sandbox_unreachable`, `aborted` */
  abstract try(signIn: HostSignIn, signal: AbortSignal): Promise<HostTrial>;
}
