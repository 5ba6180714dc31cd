import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { NEW_SESSION, Session } from './session.js';

const WorkspaceRecord = z.object({
  session: Session.nullable(),
  /** The session before a held command. If the command's changes are dropped, the next command begins there again. */
  before: Session.nullable().default(null),
  sizeKib: z.int().nullable(),
  /** The number of files and folders. */
  files: z.int().nullable().default(null),
});
type WorkspaceRecord = z.infer<typeof WorkspaceRecord>;

const UNKNOWN: WorkspaceRecord = { session: null, before: null, sizeKib: null, files: null };
const NOTHING: Contents = { sizeKib: 0, files: 0 };

/** The contents of a workspace. `files` includes folders. */
export interface Contents {
  readonly sizeKib: number;
  readonly files: number;
}
const RECORD_NAME = /^([0-9a-f-]{36})\.json$/;

/**
 * Stores facts about workspaces outside their volumes: the session after the last command, and the size. Each workspace
 * has one JSON file, which is complete or absent. The calls are synchronous, because they take microseconds and nothing
 * may happen between reading and writing. The files are not synced to disk, because a power failure would lose only a
 * `cd`.
 */
export class WorkspaceStore {
  private readonly measured = new Map<string, Contents>();

  constructor(private readonly folder: string) {}

  /** Creates the folder and reads the sizes. Must be called once, before anything else. */
  open(): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    for (const workspaceId of this.ids()) {
      const { sizeKib, files } = this.read(workspaceId);
      if (sizeKib !== null) this.measured.set(workspaceId, { sizeKib, files: files ?? 0 });
    }
  }

  session(workspaceId: string): Session {
    return this.read(workspaceId).session ?? NEW_SESSION;
  }

  saveSession(workspaceId: string, session: Session): void {
    this.write(workspaceId, { ...this.read(workspaceId), session });
  }

  saveBefore(workspaceId: string): void {
    this.write(workspaceId, { ...this.read(workspaceId), before: this.session(workspaceId) });
  }

  forgetBefore(workspaceId: string): void {
    this.write(workspaceId, { ...this.read(workspaceId), before: null });
  }

  /** Restores the session that was saved before a held command, if there is one. */
  restoreBefore(workspaceId: string): void {
    const { before } = this.read(workspaceId);
    if (before !== null) this.saveSession(workspaceId, before);
    this.forgetBefore(workspaceId);
  }

  /** Returns the last measured contents, or nothing if the workspace was never measured. */
  contents(workspaceId: string): Contents {
    return this.measured.get(workspaceId) ?? NOTHING;
  }

  saveContents(workspaceId: string, { sizeKib, files }: Contents): void {
    const known = this.measured.get(workspaceId);
    if (known?.sizeKib === sizeKib && known.files === files) return;
    this.measured.set(workspaceId, { sizeKib, files });
    this.write(workspaceId, { ...this.read(workspaceId), sizeKib, files });
  }

  totals(): { readonly count: number; readonly sizeBytes: number } {
    let sizeKib = 0;
    for (const each of this.measured.values()) sizeKib += each.sizeKib;
    return { count: this.measured.size, sizeBytes: sizeKib * 1024 };
  }

  forget(workspaceId: string): void {
    this.measured.delete(workspaceId);
    rmSync(this.path(workspaceId), { force: true });
  }

  /** Returns the workspaces that have a record. */
  ids(): string[] {
    return readdirSync(this.folder).flatMap((name) => RECORD_NAME.exec(name)?.[1] ?? []);
  }

  private read(workspaceId: string): WorkspaceRecord {
    let text: string;
    try {
      text = readFileSync(this.path(workspaceId), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return UNKNOWN;
      throw error;
    }
    try {
      return WorkspaceRecord.parse(JSON.parse(text));
    } catch {
      // A crash of the machine cut the file short, so the next command starts with a new session and a new measurement.
      return UNKNOWN;
    }
  }

  private write(workspaceId: string, record: WorkspaceRecord): void {
    const temporary = `${this.path(workspaceId)}.tmp`;
    writeFileSync(temporary, JSON.stringify(record), { mode: 0o600 });
    renameSync(temporary, this.path(workspaceId));
  }

  private path(workspaceId: string): string {
    return join(this.folder, `${workspaceId}.json`);
  }
}
