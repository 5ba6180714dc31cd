import { keepTimeoutsAlive } from '@aish/contracts/lasting-timeouts';
import type { RunningService } from '@aish/http';
import type { Service } from './service.js';

const LOG_MAX = 20_000;

// The main file of every service does this first.
keepTimeoutsAlive();

/**
 * Runs a service in the process of the test, so that its modules are loaded once for all suites. The service can end,
 * but cannot be killed.
 */
export class LocalService implements Service {
  readonly pid = process.pid;
  private service: RunningService | null = null;
  private output = '';

  constructor(
    readonly name: string,
    readonly healthUrl: string,
    private readonly open: (log: { write(line: string): void }) => Promise<RunningService>,
  ) {}

  get isRunning(): boolean {
    return this.service !== null;
  }

  get log(): string {
    return this.output;
  }

  async start(): Promise<void> {
    this.service = await this.open({ write: (line) => void (this.output = (this.output + line).slice(-LOG_MAX)) });
  }

  async kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    if (signal === 'SIGKILL')
      throw new Error(`${this.name} runs in the process of the test; start it with ownProcesses`);
    const service = this.service;
    this.service = null;
    if (service === null) return null;
    await service.app.close();
    return 0;
  }
}
