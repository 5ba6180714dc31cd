import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { Readable } from 'node:stream';
import type { ActionOutput, FindInOutput, FoundInOutput, ReadOutput } from '@aish/contracts/actions';
import { AishError, isAishError } from '@aish/contracts/problems';
import type { Database } from '@aish/database/client';
import { findOutput } from '@aish/database/steps.repository';
import type { Logger } from '@aish/http';
import type { Workspaces } from '@aish/sandbox-client';
import { lineWith, pageOf } from './output-pages.js';

interface Kept {
  readonly action: string;
  readonly pieces: AsyncIterable<string>;
  readonly omittedBytes: number;
}

/**
 * Reads the output of actions. The database has short outputs. Of a long output it has the beginning and the end, and
 * the sandbox keeps the whole output for a time.
 */
@Injectable()
export class Outputs {
  constructor(
    @Part('db') private readonly db: Database,
    @Part('workspaces') private readonly workspaces: Workspaces,
    @Part('logger') private readonly logger: Logger,
  ) {}

  /** @throws AishError `not_found`, `aborted` */
  async read(actionId: string, page: ReadOutput, signal: AbortSignal): Promise<ActionOutput> {
    const { action, pieces, omittedBytes } = await this.of(actionId, signal);
    return { actionId, action, from: page.from, ...(await pageOf(pieces, page)), omittedBytes };
  }

  /** @throws AishError `not_found`, `aborted` */
  async find(actionId: string, wanted: FindInOutput, signal: AbortSignal): Promise<FoundInOutput> {
    const { pieces } = await this.of(actionId, signal);
    return { line: await lineWith(pieces, wanted) };
  }

  private async of(actionId: string, signal: AbortSignal): Promise<Kept> {
    const stored = await findOutput(this.db.statements, actionId);
    if (stored === null) throw new AishError('not_found', `There is no action ${actionId}`);
    const { sessionId, action, isCommand, output, omittedBytes } = stored;
    const whole = isCommand && omittedBytes > 0 ? await this.whole(sessionId, actionId, signal) : null;
    return whole === null ? { action, pieces: Readable.from([output]), omittedBytes } : { action, ...whole };
  }

  /**
   * Returns the whole output, or null if it is not kept or not available now. The caller then shows the beginning and
   * the end.
   */
  private async whole(sessionId: string, actionId: string, signal: AbortSignal): Promise<Omit<Kept, 'action'> | null> {
    try {
      const kept = await this.workspaces.output(sessionId, actionId, signal);
      if (kept === null) return null;
      return { pieces: kept.body.pipeThrough(new TextDecoderStream()), omittedBytes: kept.omittedBytes };
    } catch (error) {
      if (!isAishError(error) || error.code === 'aborted') throw error;
      this.logger.warn({ err: error, actionId }, 'the full output is not available');
      return null;
    }
  }
}
