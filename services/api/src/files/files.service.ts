import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { Readable } from 'node:stream';
import type { FileForm, FileList } from '@aish/contracts/files';
import { AishError } from '@aish/contracts/problems';
import type { Database } from '@aish/database/client';
import { lastEventSeq } from '@aish/database/events.repository';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import type { Workspaces } from '@aish/sandbox-client';
import { needMayChange } from '../decisions/may-change.js';

/** Reads and writes files of a session's workspace. */
@Injectable()
export class FilesService {
  constructor(
    @Part('db') private readonly db: Database,
    @Part('workspaces') private readonly workspaces: Workspaces,
  ) {}

  async list(sessionId: string, path: string, signal: AbortSignal): Promise<FileList> {
    await this.need(sessionId);
    return this.workspaces.list(sessionId, path, signal);
  }

  async read(
    sessionId: string,
    path: string,
    form: FileForm,
    signal: AbortSignal,
  ): Promise<{ readonly sizeBytes: number | null; readonly body: Readable }> {
    await this.need(sessionId);
    const { sizeBytes, body } = await this.workspaces.read(sessionId, path, form, signal);
    return { sizeBytes, body: Readable.from(body, { objectMode: false }) };
  }

  /** @throws AishError `decision_waits`, and the errors of a write */
  async write(
    token: ApiTokenRow,
    sessionId: string,
    path: string,
    { form, body }: { readonly form: FileForm; readonly body: Readable },
    signal: AbortSignal,
  ): Promise<void> {
    await this.need(sessionId);
    await needMayChange(this.db, sessionId, token);
    await this.workspaces.write(sessionId, path, form, body, signal);
  }

  /** @throws AishError `not_found` */
  private async need(sessionId: string): Promise<void> {
    if ((await lastEventSeq(this.db.statements, sessionId)) === null) {
      throw new AishError('not_found', `There is no session ${sessionId}`);
    }
  }
}
