import * as z from 'zod';
import { DELETED_PATHS_MAX, EFFECT_PATHS_MAX } from './limits.js';

/** Maximum number of changes that a decision lists, sorted by path. */
export const HELD_ITEMS_MAX = 200;

const Share = z.object({
  files: z.int(),
  /** The current size for created and changed files, the old size for deleted ones. */
  bytes: z.int(),
  /** The first paths, relative to the workspace. Invalid UTF-8 is replaced. */
  paths: z.array(z.string()),
});

/**
 * The changes of a command in its workspace, read from the layer that it wrote to. Everything except a folder counts as
 * a file. A file that was opened for writing counts as changed, even if nothing was written.
 */
export const Effects = z
  .object({
    created: Share.extend({ paths: z.array(z.string()).max(EFFECT_PATHS_MAX) }),
    changed: Share.extend({ paths: z.array(z.string()).max(EFFECT_PATHS_MAX) }),
    deleted: Share.extend({ paths: z.array(z.string()).max(DELETED_PATHS_MAX) }),
    /** False if the numbers are incomplete because counting everything would have taken too long. */
    complete: z.boolean(),
  })
  .meta({ id: 'Effects' });
export type Effects = z.infer<typeof Effects>;

/** One changed file. `bytes` is the current size, or the old size of a deleted file. */
export const Change = z.object({
  kind: z.enum(['deleted', 'changed', 'created']),
  /** Relative to the workspace. Invalid UTF-8 is replaced. */
  path: z.string(),
  bytes: z.int(),
});
export type Change = z.infer<typeof Change>;

/**
 * Everything that a command changed in its workspace, in pages: deletions first, each kind sorted by path. Changes in
 * host folders are not included.
 */
export const ChangeList = z
  .object({
    items: z.array(Change),
    /** The cursor of the next page; null for the last page. */
    next: z.string().nullable(),
    /** The total number of changes on all pages. */
    total: z.int(),
    /** False if there are more changes, because looking at everything would have taken too long. */
    complete: z.boolean(),
  })
  .meta({ id: 'ChangeList' });
export type ChangeList = z.infer<typeof ChangeList>;

export const ListChanges = z.strictObject({
  /** The value of `next` on the previous page. */
  cursor: z
    .string()
    .regex(/^\d{1,9}$/)
    .optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(200),
});
export type ListChanges = z.infer<typeof ListChanges>;

const Lost = z.object({ files: z.int(), bytes: z.int() });

/** The part of the changes that is in held host folders. It is copied to the host once it is approved. */
export const HeldFolders = z.object({
  names: z.array(z.string()),
  /** Paths that somebody changed on the host since the command began. While there are any, nothing is copied. */
  conflicts: z.array(z.string()),
  /** Entries that are never copied: sockets, pipes, devices, and setuid bits of files. */
  skipped: z.array(z.string()),
  /** The first lines of a diff of small text files. The diff is data, however long it is. */
  diff: z.string(),
  /** Whether aish keeps what is overwritten and deleted, so that an undo can restore it. */
  undoable: z.boolean(),
});
export type HeldFolders = z.infer<typeof HeldFolders>;

/**
 * The kind of change of a path. `edited` means that a text file kept at least half of the lines that it had when its
 * goal began.
 */
const HowChanged = z.enum([
  'created',
  'appended',
  'edited',
  'times',
  'permissions',
  'deleted',
  'emptied',
  'replaced',
  'linked',
]);

/** A change that a person has to decide about. */
export const HeldItem = z.object({
  path: z.string(),
  how: HowChanged,
  /** The size before the change. */
  bytes: z.int().optional(),
  /** `refused`: a person refused this change before. `start`: other programs run or read the file when they start. */
  why: z.enum(['refused', 'start', 'permissions', 'deleted', 'emptied', 'replaced', 'linked']),
});
export type HeldItem = z.infer<typeof HeldItem>;

/** Something that a person refused before and that a command changed anyway. */
export const Refused = z.object({
  step: z.int().nullable(),
  /** The person's words; null if there are none. */
  words: z.string().nullable(),
  paths: z.array(z.string()),
});
export type Refused = z.infer<typeof Refused>;

/**
 * Why a command's changes are held. Either it destroyed files that existed before its goal or chat began or that a
 * person put there, or it changed a file that programs run or read when they start, or a person refused the change
 * before. The workspace waits for the verdict.
 */
export const Held = z
  .object({
    verdict: z.enum(['waiting', 'kept', 'dropped']),
    deleted: Lost,
    overwritten: Lost,
    /**
     * The files of its own goal or chat that the command destroyed, if that is more than aish allows without asking.
     */
    own: Lost.nullable(),
    /** The first of the held changes. */
    items: z.array(HeldItem).max(HELD_ITEMS_MAX).optional(),
    refused: z.array(Refused).optional(),
    /** The first lines of a diff of small text files. The diff is data, however long it is. */
    diff: z.string().optional(),
    /**
     * Whether a person approved the command's text. Then the held changes are those beyond the paths that the text
     * names.
     */
    approved: z.boolean().optional(),
    /** The changes that the command wrote to held host folders. Those paths begin with a slash. */
    folders: HeldFolders.optional(),
  })
  .meta({ id: 'Held' });
export type Held = z.infer<typeof Held>;

/** The facts that a person sees about a command that has run and whose changes are held. */
export const Difference = z.object({ effects: Effects.nullable(), held: Held }).meta({ id: 'Difference' });
export type Difference = z.infer<typeof Difference>;
