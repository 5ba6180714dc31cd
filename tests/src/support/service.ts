/** A service of aish that a test has started. */
export interface Service {
  readonly name: string;
  readonly healthUrl: string;
  /** The process ID of the service. */
  readonly pid: number | undefined;
  /** Whether the service has started and has not ended. */
  readonly isRunning: boolean;
  /** The last 20,000 characters of the service's log. */
  readonly log: string;
  start(): Promise<void>;
  /** Ends the service and waits until it is gone. @returns its exit code or signal */
  kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | string | null>;
}
