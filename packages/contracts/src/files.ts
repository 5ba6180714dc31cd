import * as z from 'zod';
import { Effects } from './effects.js';
import { RunImage } from './images.js';

/** Most entries that a listing of a folder holds. */
export const FILES_LISTED_MAX = 10_000;
export const FILE_PATH_MAX_BYTES = 4_096;

/** Where in a workspace: below /workspace, with or without that in front; empty is the workspace itself. */
export const FilePath = z.object({ path: z.string().max(FILE_PATH_MAX_BYTES).default('') });
export type FilePath = z.infer<typeof FilePath>;

export const FileEntry = z
  .object({
    name: z.string(),
    type: z.enum(['file', 'folder', 'link', 'other']),
    sizeBytes: z.int(),
    modifiedAt: z.iso.datetime(),
    /** Where a link points, as it is written in it; null for anything else. */
    target: z.string().nullable(),
  })
  .meta({ id: 'FileEntry' });
export type FileEntry = z.infer<typeof FileEntry>;

/** What a folder holds, by name; the one entry itself when it is no folder. */
export const FileList = z
  .object({
    path: z.string(),
    items: z.array(FileEntry),
    /** Whether there are more than are listed. */
    isCut: z.boolean(),
  })
  .meta({ id: 'FileList' });
export type FileList = z.infer<typeof FileList>;

/** Bodies that are files: one as it is, or any number of them as a tar. */
export const FILE_MEDIA_TYPES = { file: 'application/octet-stream', archive: 'application/x-tar' } as const;
export const FileForm = z.enum(['file', 'archive']);
export type FileForm = z.infer<typeof FileForm>;

const Difference = z.object({
  count: z.int(),
  sizeBytes: z.int(),
  /** The first of them by name, 20 at most. */
  names: z.array(z.string()),
});

/** Why an action does not keep the run of its preview, or why that was none to keep. */
export const WhyAnew = z.enum([
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
  'surroundings',
  'rules',
  'files changed',
  'too old',
  'gone',
  'not shown',
]);
export type WhyAnew = z.infer<typeof WhyAnew>;

/** What a preview of a command did, set aside or on a copy. The workspace itself is as it was. */
export const CopyPreview = z.object({
  /** Sizes of what is no more there. */
  removed: Difference,
  /** Other content, type or permissions than before; sizes as they are now. */
  changed: Difference,
  added: Difference,
  /** Null when it was killed. */
  exitCode: z.int().nullable(),
  timedOut: z.boolean(),
  /** The head of what it printed, stdout and stderr as they came. */
  output: z.string(),
  isOutputCut: z.boolean(),
  durationMs: z.number(),
  /** Whether a `proceed` that names it keeps this very run; otherwise the command runs again. */
  keeps: z.boolean().default(false),
  /** Why it runs again; null where this run is kept. */
  whyAnew: WhyAnew.nullable().default(null),
  /** What a verdict names that keeps this very run; null where it cannot be kept. */
  id: z.uuid().nullable().default(null),
});
export type CopyPreview = z.infer<typeof CopyPreview>;

/** What a command will have when it runs and never has in a preview. */
const Lacks = z.array(WhyAnew.extract(['network', 'host folders', 'other hosts', 'secrets']));

/** The same of a decision. */
export const Preview = CopyPreview.extend({
  lacks: Lacks,
  /** Folders of the host that it will write to directly: none of that is shown, and no undo brings it back. */
  direct: z.array(z.string()).default([]),
}).meta({ id: 'Preview' });
export type Preview = z.infer<typeof Preview>;

const PREVIEW_TIMEOUT_MAX_MS = 20_000;

export const PreviewRequest = z.strictObject({
  command: z.string().min(1),
  timeoutMs: z.int().min(100).max(PREVIEW_TIMEOUT_MAX_MS).default(PREVIEW_TIMEOUT_MAX_MS),
  /** The action that may keep the run, by the id that it will run under; without it the run is of use to nobody. */
  actionId: z.uuid().toLowerCase().optional(),
  lacks: Lacks.default([]),
  /** As of its run. */
  background: z.boolean().default(false),
  carryOver: z.boolean().default(true),
  image: RunImage.optional(),
});
export type PreviewRequest = z.infer<typeof PreviewRequest>;
export type PreviewRequestInput = z.input<typeof PreviewRequest>;

/** The workspace as it was before an action: a copy of it, or the layers that there were. `sizeBytes` is what keeping it takes. */
export const Snapshot = z
  .object({ actionId: z.uuid(), sizeBytes: z.int(), createdAt: z.iso.datetime() })
  .meta({ id: 'Snapshot' });
export type Snapshot = z.infer<typeof Snapshot>;

/** What was undone. `onHosts` lists what was not: commands that ran on other hosts since, and how to roll them back. */
export const Undone = Snapshot.extend({
  onHosts: z.array(z.object({ host: z.string(), command: z.string(), rollback: z.string().nullable() })).default([]),
  /** Folders of the host that commands write to directly: what they did there stays. */
  direct: z.array(z.string()).default([]),
}).meta({ id: 'Undone' });
export type Undone = z.infer<typeof Undone>;

export const SnapshotList = z.object({ items: z.array(Snapshot) }).meta({ id: 'SnapshotList' });
export type SnapshotList = z.infer<typeof SnapshotList>;

export const SnapshotRequest = z.strictObject({ actionId: z.uuid().toLowerCase() });
export type SnapshotRequest = z.infer<typeof SnapshotRequest>;

/**
 * What going back to before an action would do to the files of the workspace: `created` would come back, `changed` would
 * be as they were then, `deleted` would be lost. Null where nobody knows before it is done: it is a copy that is put back.
 */
export const UndoPreview = z
  .object({
    effects: Effects.nullable(),
    /** Of one command alone: what others touched since, the first of it. While there is any, it is refused. */
    touched: z.array(z.string()).default([]),
    /** Folders of the host that commands write to directly: what they did there stays. */
    direct: z.array(z.string()).default([]),
  })
  .meta({ id: 'UndoPreview' });
export type UndoPreview = z.infer<typeof UndoPreview>;

/** Whether what later commands did is to stay. */
export const UndoScope = z.strictObject({ only: z.union([z.boolean(), z.stringbool()]).default(false) });
export type UndoScope = z.infer<typeof UndoScope>;

/** The snapshots of a goal, newest first, with what each was taken before. */
export const GoalSnapshotList = z
  .object({ items: z.array(Snapshot.extend({ stepNumber: z.int(), command: z.string() })) })
  .meta({ id: 'GoalSnapshotList' });
export type GoalSnapshotList = z.infer<typeof GoalSnapshotList>;
