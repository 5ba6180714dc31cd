import * as z from 'zod';
import { Skipped } from './skipped.js';

export const BACKUP_FORMAT = 1;
export const BACKUP_MEDIA_TYPE = 'application/gzip';
export const BACKUP_MANIFEST = 'manifest.json';

/**
 * Identifies the run, and the goal or chat, of the held changes in a workspace's tar. The tar contains it as
 * `held.json`.
 */
export const HeldRun = z.object({ run: z.uuid(), origin: z.uuid() });
export type HeldRun = z.infer<typeof HeldRun>;
export const HELD_ENTRY = 'held.json';

/** First entry of a backup, which is a gzipped tar: the backup's contents and the checksum of each file. */
export const BackupManifest = z
  .object({
    format: z.literal(BACKUP_FORMAT),
    /** The version of aish that made the backup. */
    version: z.string(),
    createdAt: z.iso.datetime(),
    migrations: z.array(z.string()),
    sequences: z.array(z.object({ name: z.string(), value: z.string() })),
    tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()), path: z.string() })),
    knowledge: z.string().nullable(),
    /** `held` lists the held changes that wait for a verdict. The tar contains them beside the state before them. */
    workspaces: z.array(z.object({ sessionId: z.uuid(), path: z.string(), held: HeldRun.nullable().default(null) })),
    /** Files that the archived workspaces lack or contain in another form. An empty path means the whole workspace. */
    skipped: z.array(Skipped.extend({ sessionId: z.uuid() })).default([]),
    files: z.array(z.object({ path: z.string(), sizeBytes: z.int(), sha256: z.string() })),
  })
  .meta({ id: 'BackupManifest' });
export type BackupManifest = z.infer<typeof BackupManifest>;

export const MakeBackup = z.object({
  /** `none`, `all`, or session IDs separated by commas. */
  workspaces: z
    .string()
    .regex(/^(none|all|[0-9a-f-]{36}(,[0-9a-f-]{36})*)$/)
    .default('none'),
});
export type MakeBackup = z.infer<typeof MakeBackup>;

/** The result of restoring a backup. */
export const Restored = z
  .object({
    version: z.string(),
    createdAt: z.iso.datetime(),
    tables: z.int(),
    knowledge: z.boolean(),
    workspaces: z.int(),
    /** Descriptions of everything that could not be restored. Everything else was restored. */
    problems: z.array(z.string()),
  })
  .meta({ id: 'Restored' });
export type Restored = z.infer<typeof Restored>;
