import * as z from 'zod';
import { DELETED_PATHS_MAX, EFFECT_PATHS_MAX } from './limits.js';

/** The first changes that a person is asked about, by path. */
export const HELD_ITEMS_MAX = 200;

const Share = z.object({
  files: z.int(),
  /** Of created and changed files as they are now, of deleted ones as they were. */
  bytes: z.int(),
  /** The first of them, below the workspace; bytes that are no UTF-8 are replaced. */
  paths: z.array(z.string()),
});

/**
 * What a command did to its workspace, read from the layer it wrote to. Everything except a folder counts as a file. A
 * file that was opened for writing counts as changed, even if nothing was written.
 */
export const Effects = z
  .object({
    created: Share.extend({ paths: z.array(z.string()).max(EFFECT_PATHS_MAX) }),
    changed: Share.extend({ paths: z.array(z.string()).max(EFFECT_PATHS_MAX) }),
    deleted: Share.extend({ paths: z.array(z.string()).max(DELETED_PATHS_MAX) }),
    /** False when the numbers are only a part: there was too much to count in the time there is. */
    complete: z.boolean(),
  })
  .meta({ id: 'Effects' });
export type Effects = z.infer<typeof Effects>;

/** One file of `Effects`. `bytes` as they are now, of deleted ones as they were. */
export const Change = z.object({
  kind: z.enum(['deleted', 'changed', 'created']),
  /** Below the workspace; bytes that are no UTF-8 are replaced. */
  path: z.string(),
  bytes: z.int(),
});
export type Change = z.infer<typeof Change>;

/**
 * All that a command did to its workspace, in pages: what it deleted first, each kind by path. What it did to folders of
 * the host is not among it.
 */
export const ChangeList = z
  .object({
    items: z.array(Change),
    /** For the page after this one; null when this is the last. */
    next: z.string().nullable(),
    /** How many there are on all pages. */
    total: z.int(),
    /** False when there is more: it could not all be looked at in the time there is. */
    complete: z.boolean(),
  })
  .meta({ id: 'ChangeList' });
export type ChangeList = z.infer<typeof ChangeList>;

export const ListChanges = z.strictObject({
  /** What `next` of the page before said. */
  cursor: z
    .string()
    .regex(/^\d{1,9}$/)
    .optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(200),
});
export type ListChanges = z.infer<typeof ListChanges>;

const Lost = z.object({ files: z.int(), bytes: z.int() });

/** What of it is in held folders of the host: it is carried over to the host when it counts. */
export const HeldFolders = z.object({
  names: z.array(z.string()),
  /** What somebody changed on the host since the command began. While there is any, nothing is carried over. */
  conflicts: z.array(z.string()),
  /** What is never carried over: sockets, pipes, devices, and setuid bits of files. */
  skipped: z.array(z.string()),
  /** The first lines of what differs in small text files; as long as it is, it is data. */
  diff: z.string(),
  /** Whether what is overwritten and deleted is kept, so that an undo brings it back. */
  undoable: z.boolean(),
});
export type HeldFolders = z.infer<typeof HeldFolders>;

/** What happened to a path. `edited`: a text file keeps at least half of the lines that it had when its goal began. */
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

/** A change that a person is asked about. */
export const HeldItem = z.object({
  path: z.string(),
  how: HowChanged,
  /** What was there before. */
  bytes: z.int().optional(),
  /** `refused`: a person refused it before. `start`: other programs run or read it when they start. */
  why: z.enum(['refused', 'start', 'permissions', 'deleted', 'emptied', 'replaced', 'linked']),
});
export type HeldItem = z.infer<typeof HeldItem>;

/** What a person refused before and a command touched all the same. */
export const Refused = z.object({
  step: z.int().nullable(),
  /** The person's words; null where there were none. */
  words: z.string().nullable(),
  paths: z.array(z.string()),
});
export type Refused = z.infer<typeof Refused>;

/**
 * Why what a command did does not count yet: it destroyed files that were there before its goal or chat began, or that a
 * person put there; it changed what is run or read at a start; or a person refused that before. Its workspace waits for the
 * verdict.
 */
export const Held = z
  .object({
    verdict: z.enum(['waiting', 'kept', 'dropped']),
    deleted: Lost,
    overwritten: Lost,
    /** What it destroyed of what its own goal or chat had made, where that is more than goes without asking. */
    own: Lost.nullable(),
    /** The first of the changes that are asked about. */
    items: z.array(HeldItem).max(HELD_ITEMS_MAX).optional(),
    refused: z.array(Refused).optional(),
    /** The first lines of what differs in small text files; as long as it is, it is data. */
    diff: z.string().optional(),
    /** Whether a person approved the command by its words: then this is what it did beyond the paths that they name. */
    approved: z.boolean().optional(),
    /** Where it wrote to held folders of the host; paths of those begin with a slash. */
    folders: HeldFolders.optional(),
  })
  .meta({ id: 'Held' });
export type Held = z.infer<typeof Held>;

/** What a person is shown of a command that has run and whose effects are held. */
export const Difference = z.object({ effects: Effects.nullable(), held: Held }).meta({ id: 'Difference' });
export type Difference = z.infer<typeof Difference>;
