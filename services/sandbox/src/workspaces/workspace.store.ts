import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { NEW_SESSION, Session } from './session.js';

const WorkspaceRecord = z.object({ session: Session.nullable(), sizeKib: z.int().nullable() });
type WorkspaceRecord = z.infer<typeof WorkspaceRecord>;

const UNKNOWN: WorkspaceRecord = { session: null, sizeKib: null };
const RECORD_NAME = /^([0-9a-f-]{36})\.json$/;

/**
 * What this service knows of its workspaces beside their volumes: where their last command ended, and their size. One
 * JSON file each, whole or absent. Synchronous, as it takes microseconds and nothing may come between reading and
 * writing; not synced to disk, for losing it in a power cut costs a `cd`.
 */
export class WorkspaceStore {
  private readonly sizes = new Map<string, number>();

  constructor(private readonly folder: string) {}

  /** Makes the folder and learns the sizes. Call it once, before anything else. */
  open(): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    for (const workspaceId of this.ids()) {
      const { sizeKib } = this.read(workspaceId);
      if (sizeKib !== null) this.sizes.set(workspaceId, sizeKib);
    }
  }

  session(workspaceId: string): Session {
    return this.read(workspaceId).session ?? NEW_SESSION;
  }

  saveSession(workspaceId: string, session: Session): void {
    this.write(workspaceId, { ...this.read(workspaceId), session });
  }

  /** As last measured; null when it never was. */
  sizeKib(workspaceId: string): number | null {
    return this.sizes.get(workspaceId) ?? null;
  }

  saveSize(workspaceId: string, sizeKib: number): void {
    if (this.sizes.get(workspaceId) === sizeKib) return;
    this.sizes.set(workspaceId, sizeKib);
    this.write(workspaceId, { ...this.read(workspaceId), sizeKib });
  }

  totals(): { readonly count: number; readonly sizeBytes: number } {
    let sizeKib = 0;
    for (const size of this.sizes.values()) sizeKib += size;
    return { count: this.sizes.size, sizeBytes: sizeKib * 1024 };
  }

  forget(workspaceId: string): void {
    this.sizes.delete(workspaceId);
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
      // Cut short by a crash of the machine: the next command begins anew, and measures anew.
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
