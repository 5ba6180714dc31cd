import type { ToolCallOptions } from '@aish/contracts/tools';

/** The time limit of one call. The clock pauses while a question is open, and restarts with each answer. */
export class CallTime {
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private asking = 0;

  constructor(private readonly ms: number) {
    this.run();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Returns the options with questions that pause the clock. */
  around(options: ToolCallOptions | undefined): ToolCallOptions | undefined {
    const ask = options?.elicit?.bind(options);
    if (options === undefined || ask === undefined) return options;
    const elicit: NonNullable<ToolCallOptions['elicit']> = async (question, signal, isResumable) => {
      this.asking += 1;
      clearTimeout(this.timer);
      try {
        return await ask(question, signal, isResumable);
      } finally {
        this.asking -= 1;
        if (this.asking === 0) this.run();
      }
    };
    return { ...options, elicit };
  }

  end(): void {
    clearTimeout(this.timer);
    this.asking = Number.POSITIVE_INFINITY; // This stops the clock permanently.
  }

  private run(): void {
    this.timer = setTimeout(() => this.controller.abort(), this.ms);
  }
}
