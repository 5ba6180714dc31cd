import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Snapshot } from '@aish/contracts/files';
import { z } from 'zod';
import { Session } from '../workspaces/session.js';

/** A snapshot as stored, with the session in which the workspace's next command would have begun. */
const SnapshotRecord = Snapshot.extend({ session: Session.optional() });
export type SnapshotRecord = z.infer<typeof SnapshotRecord>;
const Records = z.array(SnapshotRecord);
const RECORD_NAME = /^([0-9a-f-]{36})\.json$/;

/**
 * Lists complete snapshots. A volume without an entry here was not finished. There is one JSON file for each workspace.
 * The file is complete or absent, and lists the newest snapshot first.
 */
export class SnapshotStore {
  constructor(private readonly folder: string) {}

  list(workspaceId: string): readonly SnapshotRecord[] {
    let text: string;
    try {
      text = readFileSync(this.path(workspaceId), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
    try {
      return Records.parse(JSON.parse(text));
    } catch {
      return []; // the sweep then removes the volumes
    }
  }

  find(workspaceId: string, actionId: string): SnapshotRecord | null {
    return this.list(workspaceId).find((snapshot) => snapshot.actionId === actionId) ?? null;
  }

  add(workspaceId: string, snapshot: SnapshotRecord): void {
    this.write(workspaceId, [snapshot, ...this.list(workspaceId)]);
  }

  remove(workspaceId: string, actionId: string): void {
    this.write(
      workspaceId,
      this.list(workspaceId).filter((snapshot) => snapshot.actionId !== actionId),
    );
  }

  /** Returns the workspaces that have snapshots. */
  workspaces(): string[] {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    return readdirSync(this.folder).flatMap((name) => RECORD_NAME.exec(name)?.[1] ?? []);
  }

  private write(workspaceId: string, snapshots: readonly SnapshotRecord[]): void {
    if (snapshots.length === 0) return rmSync(this.path(workspaceId), { force: true });
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const temporary = `${this.path(workspaceId)}.tmp`;
    writeFileSync(temporary, JSON.stringify(snapshots), { mode: 0o600 });
    renameSync(temporary, this.path(workspaceId));
  }

  private path(workspaceId: string): string {
    return join(this.folder, `${workspaceId}.json`);
  }
}
