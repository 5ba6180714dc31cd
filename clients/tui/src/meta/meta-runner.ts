import { Readable } from 'node:stream';
import type { ClientConfig } from '@aish/client/config';
import type { ExitCode } from '@aish/client/exit-codes';
import type { Io } from '@aish/client/io';
import { line, type Line } from '@aish/views/line';
import { cleanText } from '@aish/views/sanitise';

export interface MetaDone {
  readonly lines: readonly Line[];
  readonly isGood: boolean;
  /** The ID of a printed plan. `--confirm` with this ID applies the plan. */
  readonly planId: string | null;
  /** The number of resulting proposals that wait in the memory. */
  readonly candidates: number;
}

/** Runs an `aish` command with these words. */
export type RunCommand = (words: readonly string[], io: Io) => Promise<ExitCode>;

/** Runs `aish` commands inside the terminal UI, from the same table as the command line. */
export class MetaRunner {
  constructor(
    private readonly config: ClientConfig,
    /** The options that select the server. */
    private readonly options: readonly string[],
    private readonly runCommand: RunCommand,
  ) {}

  async run(words: readonly string[], signal: AbortSignal): Promise<MetaDone> {
    const lines: Line[] = [];
    let planId: string | null = null;
    let candidates = 0;
    const write = (text: string): boolean => {
      lines.push(
        ...cleanText(text.replace(/\n$/, ''))
          .split('\n')
          .map((each) => line(each)),
      );
      return true;
    };
    const output = { write, writeLines: (more: readonly Line[]) => void lines.push(...more) };
    const code = await this.runCommand([...this.options, ...words], {
      stdin: Readable.from([]),
      stdout: output,
      stderr: output,
      config: this.config,
      signal,
      onPlan: (id) => (planId = id),
      onCandidates: (count) => (candidates = count),
    });
    return { lines, isGood: code === 0, planId, candidates };
  }
}
