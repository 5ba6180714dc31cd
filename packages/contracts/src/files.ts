import * as z from 'zod';
import { Effects } from './effects.js';
import { RunImage } from './images.js';

/** Maximum number of entries in a folder listing. */
export const FILES_LISTED_MAX = 10_000;
export const FILE_PATH_MAX_BYTES = 4_096;

/** A path in a workspace, relative to /workspace; the prefix itself is optional. Empty means the workspace itself. */
export const FilePath = z.object({ path: z.string().max(FILE_PATH_MAX_BYTES).default('') });
export type FilePath = z.infer<typeof FilePath>;

export const FileEntry = z
  .object({
    name: z.string(),
    type: z.enum(['file', 'folder', 'link', 'other']),
    sizeBytes: z.int(),
    modifiedAt: z.iso.datetime(),
    /** The target of a link, as written in the link; null for anything else. */
    target: z.string().nullable(),
  })
  .meta({ id: 'FileEntry' });
export type FileEntry = z.infer<typeof FileEntry>;

/** The entries of a folder, by name. A path that is not a folder gives one entry, its own. */
export const FileList = z
  .object({
    path: z.string(),
    items: z.array(FileEntry),
    /** Whether the list is incomplete. */
    isCut: z.boolean(),
  })
  .meta({ id: 'FileList' });
export type FileList = z.infer<typeof FileList>;

/** Media types of file bodies: one plain file, or any number of files as a tar. */
export const FILE_MEDIA_TYPES = { file: 'application/octet-stream', archive: 'application/x-tar' } as const;
export const FileForm = z.enum(['file', 'archive']);
export type FileForm = z.infer<typeof FileForm>;

const Difference = z.object({
  count: z.int(),
  sizeBytes: z.int(),
  /** The first names in alphabetical order, at most 20. */
  names: z.array(z.string()),
});

/** Why an action cannot keep the run of its preview, or why the preview has no run to keep. */
export const RerunReason = z.enum([
  'network',
  'host folders',
  'other hosts',
  'secrets',
  'decided',
  'no layers',
  'in use',
  'time limit',
  'stopped',
  'command',
  'execution context',
  'rules',
  'files changed',
  'too old',
  'gone',
  'not shown',
]);
export type RerunReason = z.infer<typeof RerunReason>;

/** The changes that a preview of a command made, in a stashed layer or on a copy. The workspace itself is unchanged. */
export const CopyPreview = z.object({
  /** The removed files with their old sizes. */
  removed: Difference,
  /** Files with different content, type or permissions, with their new sizes. */
  changed: Difference,
  added: Difference,
  /** The exit code; null if the command was killed. */
  exitCode: z.int().nullable(),
  timedOut: z.boolean(),
  /** The head of the output, stdout and stderr in the order they came. */
  output: z.string(),
  isOutputCut: z.boolean(),
  durationMs: z.number(),
  /** Whether a `proceed` with this preview keeps this run. If not, the command runs again. */
  keeps: z.boolean().default(false),
  /** Why the command runs again; null if this run is kept. */
  rerunReason: RerunReason.nullable().default(null),
  /** The ID that a verdict names to keep this run; null if it cannot be kept. */
  id: z.uuid().nullable().default(null),
});
export type CopyPreview = z.infer<typeof CopyPreview>;

/** Kinds of access that a preview never has, although the real run of the command has them. */
const Lacks = z.array(RerunReason.extract(['network', 'host folders', 'other hosts', 'secrets']));

/** The preview of a decision's command. */
export const Preview = CopyPreview.extend({
  lacks: Lacks,
  /**
   * Host folders that the command will write to directly. The preview cannot show those changes, and an undo cannot
   * revert them.
   */
  direct: z.array(z.string()).default([]),
}).meta({ id: 'Preview' });
export type Preview = z.infer<typeof Preview>;

const PREVIEW_TIMEOUT_MAX_MS = 20_000;

export const PreviewRequest = z.strictObject({
  command: z.string().min(1),
  timeoutMs: z.int().min(100).max(PREVIEW_TIMEOUT_MAX_MS).default(PREVIEW_TIMEOUT_MAX_MS),
  /** The action that may keep the run, by its run ID. If absent, nothing can keep the run. */
  actionId: z.uuid().toLowerCase().optional(),
  lacks: Lacks.default([]),
  /** Whether no person waits for the preview, like `background` in a run request. */
  background: z.boolean().default(false),
  carryOver: z.boolean().default(true),
  image: RunImage.optional(),
});
export type PreviewRequest = z.infer<typeof PreviewRequest>;
export type PreviewRequestInput = z.input<typeof PreviewRequest>;

/**
 * The state of a workspace before an action: a copy, or its layers at that time. `sizeBytes` is the disk space that it
 * uses.
 */
export const Snapshot = z
  .object({ actionId: z.uuid(), sizeBytes: z.int(), createdAt: z.iso.datetime() })
  .meta({ id: 'Snapshot' });
export type Snapshot = z.infer<typeof Snapshot>;

/**
 * The result of an undo. `onHosts` lists the commands that ran on other hosts since then, which were not undone, and
 * how to roll them back.
 */
export const Undone = Snapshot.extend({
  onHosts: z.array(z.object({ host: z.string(), command: z.string(), rollback: z.string().nullable() })).default([]),
  /** Host folders that commands write to directly. Changes there are not undone. */
  direct: z.array(z.string()).default([]),
}).meta({ id: 'Undone' });
export type Undone = z.infer<typeof Undone>;

export const SnapshotList = z.object({ items: z.array(Snapshot) }).meta({ id: 'SnapshotList' });
export type SnapshotList = z.infer<typeof SnapshotList>;

export const SnapshotRequest = z.strictObject({ actionId: z.uuid().toLowerCase() });
export type SnapshotRequest = z.infer<typeof SnapshotRequest>;

/**
 * The changes to the files of the workspace if everything since an action is undone. Paths in `created` come back,
 * paths in `changed` return to their old content, and paths in `deleted` are lost. Null if this is unknown in advance,
 * because the undo restores a copy.
 */
export const UndoPreview = z
  .object({
    effects: Effects.nullable(),
    /**
     * Set if only one command is undone: the first paths that later commands also changed. If there are any, the undo
     * is refused.
     */
    touched: z.array(z.string()).default([]),
    /** Host folders that commands write to directly. Changes there are not undone. */
    direct: z.array(z.string()).default([]),
  })
  .meta({ id: 'UndoPreview' });
export type UndoPreview = z.infer<typeof UndoPreview>;

/** Whether to undo only this command and keep the changes of later ones. */
export const UndoScope = z.strictObject({ only: z.union([z.boolean(), z.stringbool()]).default(false) });
export type UndoScope = z.infer<typeof UndoScope>;

/** The snapshots of a goal, newest first, each with the action that follows it. A person's own command has no step. */
export const GoalSnapshotList = z
  .object({ items: z.array(Snapshot.extend({ stepNumber: z.int().nullable(), command: z.string() })) })
  .meta({ id: 'GoalSnapshotList' });
export type GoalSnapshotList = z.infer<typeof GoalSnapshotList>;
