import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { NEW_SESSION, Session } from './session.js';

const WorkspaceRecord = z.object({
  session: Session.nullable(),
  /** The session before a command that is held: it begins there again when that is dropped. */
  before: Session.nullable().default(null),
  sizeKib: z.int().nullable(),
  /** Files and folders. */
  files: z.int().nullable().default(null),
});
type WorkspaceRecord = z.infer<typeof WorkspaceRecord>;

const UNKNOWN: WorkspaceRecord = { session: null, before: null, sizeKib: null, files: null };
const NOTHING: Contents = { sizeKib: 0, files: 0 };

/** What lies in a workspace: files count folders, too. */
export interface Contents {
  readonly sizeKib: number;
  readonly files: number;
}
const RECORD_NAME = /^([0-9a-f-]{36})\.json$/;

/**
 * What this service knows of its workspaces beside their volumes: where their last command ended, and their size. One
 * JSON file each, whole or absent. Synchronous, as it takes microseconds and nothing may come between reading and
 * writing; not synced to disk, for losing it in a power cut costs a `cd`.
 */
export class WorkspaceStore {
  private readonly measured = new Map<string, Contents>();

  constructor(private readonly folder: string) {}

  /** Makes the folder and learns the sizes. Call it once, before anything else. */
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

  /** Makes the session what it was when it was last saved so; nothing where it was not. */
  restoreBefore(workspaceId: string): void {
    const { before } = this.read(workspaceId);
    if (before !== null) this.saveSession(workspaceId, before);
    this.forgetBefore(workspaceId);
  }

  /** As last measured; nothing when it never was. */
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

  /** The workspaces of which anything is known. */
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
      // A crash of the machine cut the file short: the next command starts with a new session and a new measurement.
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
