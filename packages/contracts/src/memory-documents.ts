import * as z from 'zod';
import { LikelySecret } from './memory.js';
import { SpaceName } from './space-name.js';

export const MEMORY_DOCUMENT_MAX_BYTES = 16 * 1024 * 1024;

/** `user`: of a person. `space`: of a project, for all who work in it. `app`: of one named agent or schedule in a space. */
export const DocumentScope = z.enum(['user', 'space', 'app']);
export type DocumentScope = z.infer<typeof DocumentScope>;

export const ReadMode = z.enum(['headers', 'section', 'tail', 'full']);
export type ReadMode = z.infer<typeof ReadMode>;

/**
 * `section` names a heading: its title, `Parent > Child`, or either with ` [2]` for the second of that name. `path`
 * reads an archive, whole; `mode` does not matter then. `space` is a person's choice; an app has its own.
 */
export const ReadDocument = z.object({
  space: SpaceName.optional(),
  mode: ReadMode.default('full'),
  section: z.string().trim().min(1).max(500).optional(),
  lines: z.coerce.number().int().min(1).max(10_000).default(50),
  path: z
    .string()
    .regex(/^memory\/[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/)
    .optional(),
});
export type ReadDocument = z.infer<typeof ReadDocument>;

export const DocumentHeading = z.object({ line: z.int(), depth: z.int(), title: z.string() });
export type DocumentHeading = z.infer<typeof DocumentHeading>;

export const DocumentReading = z
  .object({
    scope: DocumentScope,
    /** What was read; of `headers` the heading lines with their line numbers. */
    text: z.string(),
    /** 0: there is no document yet. */
    version: z.int(),
    sizeBytes: z.int(),
    lines: z.int(),
    /** What the whole document would cost, roughly. */
    wholeTokens: z.int(),
    headings: z.array(DocumentHeading).optional(),
    /** The line that the text begins at. */
    fromLine: z.int(),
    /** What a reader should know: several headings of that name, nothing there yet. */
    notes: z.array(z.string()),
  })
  .meta({ id: 'DocumentReading' });
export type DocumentReading = z.infer<typeof DocumentReading>;

export const WriteDocument = z
  .strictObject({
    space: SpaceName.optional(),
    mode: z.enum(['append', 'replace']),
    content: z.string().max(MEMORY_DOCUMENT_MAX_BYTES),
    /** What the writer has read: refused with `version_changed` when another has written since. 0: nothing was there. */
    expectedVersion: z.int().min(0).optional(),
  })
  .meta({ id: 'WriteDocument' });
export type WriteDocument = z.infer<typeof WriteDocument>;

export const WrittenDocument = z
  .object({
    scope: DocumentScope,
    version: z.int(),
    sizeBytes: z.int(),
    wholeTokens: z.int(),
    /** In what was written with this. */
    secrets: z.array(LikelySecret),
  })
  .meta({ id: 'WrittenDocument' });
export type WrittenDocument = z.infer<typeof WrittenDocument>;

export const DocumentArchive = z.object({
  path: z.string(),
  sizeBytes: z.int(),
  reason: z.enum(['compaction', 'session', 'replaced']),
  at: z.iso.datetime(),
});
export type DocumentArchive = z.infer<typeof DocumentArchive>;

export const DocumentInfo = z.object({
  scope: DocumentScope,
  space: z.string().nullable(),
  app: z.string().nullable(),
  version: z.int(),
  sizeBytes: z.int(),
  wholeTokens: z.int(),
  updatedAt: z.iso.datetime(),
  updatedBy: z.string(),
  /** Newest first, 100 at most. */
  archives: z.array(DocumentArchive),
});
export type DocumentInfo = z.infer<typeof DocumentInfo>;

/** The documents that the caller may read. */
export const DocumentList = z.object({ items: z.array(DocumentInfo) }).meta({ id: 'DocumentList' });
export type DocumentList = z.infer<typeof DocumentList>;

export const ListDocuments = z.object({ space: SpaceName.optional() });
export type ListDocuments = z.infer<typeof ListDocuments>;

export const CompactDocument = z.strictObject({ space: SpaceName.optional() }).meta({ id: 'CompactDocument' });
export type CompactDocument = z.infer<typeof CompactDocument>;

/** `by`: who wrote the new text. `kept`: another writer had replaced the document, so it stays as it is. */
export const Compaction = z
  .object({
    archive: z.string(),
    by: z.enum(['model', 'fallback', 'kept']),
    beforeBytes: z.int(),
    afterBytes: z.int(),
    version: z.int(),
  })
  .meta({ id: 'Compaction' });
export type Compaction = z.infer<typeof Compaction>;

export const SaveSummary = z
  .strictObject({
    space: SpaceName.optional(),
    content: z.string().min(1).max(1_000_000),
    slug: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,62}$/)
      .optional(),
  })
  .meta({ id: 'SaveSummary' });
export type SaveSummary = z.infer<typeof SaveSummary>;

export const SavedSummary = z.object({ path: z.string() }).meta({ id: 'SavedSummary' });
export type SavedSummary = z.infer<typeof SavedSummary>;
