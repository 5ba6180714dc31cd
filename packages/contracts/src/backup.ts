import * as z from 'zod';
import { Skipped } from './skipped.js';

export const BACKUP_FORMAT = 1;
export const BACKUP_MEDIA_TYPE = 'application/gzip';
export const BACKUP_MANIFEST = 'manifest.json';

/**
 * Identifies the run, and the goal or chat, whose held changes are in the tar of a workspace. The tar contains it as
 * `held.json`.
 */
export const HeldRun = z.object({ run: z.uuid(), origin: z.uuid() });
export type HeldRun = z.infer<typeof HeldRun>;
export const HELD_ENTRY = 'held.json';

/** First entry of a backup, which is a gzipped tar: what it holds, and the sum of each of its files. */
export const BackupManifest = z
  .object({
    format: z.literal(BACKUP_FORMAT),
    /** Of the aish that made it. */
    version: z.string(),
    createdAt: z.iso.datetime(),
    migrations: z.array(z.string()),
    sequences: z.array(z.object({ name: z.string(), value: z.string() })),
    tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()), path: z.string() })),
    knowledge: z.string().nullable(),
    /** `held`: what waits in it for a verdict, beside the state before that. */
    workspaces: z.array(z.object({ sessionId: z.uuid(), path: z.string(), held: HeldRun.nullable().default(null) })),
    /** What is missing in workspaces, or is not as it was; an empty path is a whole workspace. */
    skipped: z.array(Skipped.extend({ sessionId: z.uuid() })).default([]),
    files: z.array(z.object({ path: z.string(), sizeBytes: z.int(), sha256: z.string() })),
  })
  .meta({ id: 'BackupManifest' });
export type BackupManifest = z.infer<typeof BackupManifest>;

export const MakeBackup = z.object({
  /** `none`, `all`, or ids of sessions with commas between. */
  workspaces: z
    .string()
    .regex(/^(none|all|[0-9a-f-]{36}(,[0-9a-f-]{36})*)$/)
    .default('none'),
});
export type MakeBackup = z.infer<typeof MakeBackup>;

/** What was put back. */
export const Restored = z
  .object({
    version: z.string(),
    createdAt: z.iso.datetime(),
    tables: z.int(),
    knowledge: z.boolean(),
    workspaces: z.int(),
    /** What could not be put back, in words; the rest is there. */
    problems: z.array(z.string()),
  })
  .meta({ id: 'Restored' });
export type Restored = z.infer<typeof Restored>;
