import * as z from 'zod';
import { LikelySecret } from './memory.js';
import { SpaceName } from './space-name.js';

export const MEMORY_DOCUMENT_MAX_BYTES = 16 * 1024 * 1024;

/**
 * The owner of the document. `user`: a person's. `space`: a project's, for all who work in it. `app`: that of one named
 * agent or schedule in a space.
 */
export const DocumentScope = z.enum(['user', 'space', 'app']);
export type DocumentScope = z.infer<typeof DocumentScope>;

export const ReadMode = z.enum(['headers', 'section', 'tail', 'full']);
export type ReadMode = z.infer<typeof ReadMode>;

/**
 * `section` names a heading: its title, `Parent > Child`, or either with ` [2]` for the second of that name. `path`
 * reads a whole archive; `mode` is then ignored. Only a person can choose `space`; an app has its own.
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
    /** The text, or for `headers` the heading lines with their line numbers. */
    text: z.string(),
    /** The version of the document; 0 if it does not exist yet. */
    version: z.int(),
    sizeBytes: z.int(),
    lines: z.int(),
    /** Approximate number of tokens of the whole document. */
    wholeTokens: z.int(),
    headings: z.array(DocumentHeading).optional(),
    /** The line where the text begins. */
    fromLine: z.int(),
    /** Notes for the reader, for example that several headings have that name or that the document is empty. */
    notes: z.array(z.string()),
  })
  .meta({ id: 'DocumentReading' });
export type DocumentReading = z.infer<typeof DocumentReading>;

export const WriteDocument = z
  .strictObject({
    space: SpaceName.optional(),
    mode: z.enum(['append', 'replace']),
    content: z.string().max(MEMORY_DOCUMENT_MAX_BYTES),
    /**
     * The version that the writer has read. The write fails with `version_changed` if the document has changed since. 0
     * means that the document did not exist.
     */
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
    /** Secrets found in the text of this write. */
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
  /** The archives, newest first, at most 100. */
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

/**
 * The result of a compaction. `by` is the author of the new text. `kept` means that another writer had replaced the
 * document, so aish did not change it.
 */
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
