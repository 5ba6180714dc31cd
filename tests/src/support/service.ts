/** One service of aish that a test started. */
export interface Service {
  readonly name: string;
  readonly healthUrl: string;
  /** The process it runs in. */
  readonly pid: number | undefined;
  /** Whether it was started and has not ended. */
  readonly isRunning: boolean;
  /** Its last 20 000 characters of log. */
  readonly log: string;
  start(): Promise<void>;
  /** Ends it and waits until it is gone. @returns its exit code or signal. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | string | null>;
}
