import * as z from 'zod';

/** The checks of the lint, each with its own code. Fatal findings block a change. The others are only reported. */
export const KNOWLEDGE_CHECKS = {
  'drawer-malformed': { fatal: true, title: 'The property drawer is malformed' },
  'id-missing': { fatal: true, title: 'The node has no :ID:' },
  'id-invalid': { fatal: true, title: 'The :ID: is not a UUID' },
  'id-duplicate': { fatal: true, title: 'Two nodes have the same :ID:' },
  'title-missing': { fatal: true, title: 'The #+title: is missing' },
  'property-missing': { fatal: true, title: 'A required property is missing' },
  'property-invalid': { fatal: true, title: 'A required property has an invalid value' },
  'type-missing': { fatal: true, title: 'No file tag names the kind of the node' },
  'project-invalid': { fatal: true, title: 'A project slug is not valid' },
  'org-invalid': { fatal: true, title: 'The org structure is broken' },
  'encoding-invalid': { fatal: true, title: 'The file is not UTF-8 text' },
  'link-broken': { fatal: true, title: 'An id link points to no node' },
  'index-missing': { fatal: true, title: 'A node is missing from the index' },
  'index-stale': { fatal: true, title: 'The index does not match the nodes' },
  'secret-found': { fatal: true, title: 'It contains a secret' },
  'secret-suspected': { fatal: false, title: 'It may contain a secret' },
  'file-too-large': { fatal: true, title: 'The file is too large to check' },
  'summary-missing': { fatal: false, title: 'The summary is missing' },
  'summary-long': { fatal: false, title: 'The summary is too long' },
  'relation-unknown': { fatal: false, title: 'A word before a link is not a known relation' },
  'source-missing': { fatal: false, title: 'A capture that is named as a source is missing' },
  'title-duplicate': { fatal: false, title: 'Two nodes have the same title' },
  'whitespace-trailing': { fatal: false, title: 'Lines end with spaces' },
  'line-ends': { fatal: false, title: 'Lines end with carriage returns' },
} as const satisfies Record<string, { fatal: boolean; title: string }>;
export type KnowledgeCheck = keyof typeof KNOWLEDGE_CHECKS;

export const KnowledgeFinding = z
  .object({
    code: z.enum(Object.keys(KNOWLEDGE_CHECKS) as [KnowledgeCheck, ...KnowledgeCheck[]]),
    fatal: z.boolean(),
    path: z.string(),
    /** The line number, from 1; null if the finding is about the whole file. */
    line: z.int().nullable(),
    message: z.string(),
  })
  .meta({ id: 'KnowledgeFinding' });
export type KnowledgeFinding = z.infer<typeof KnowledgeFinding>;

export const KnowledgeLintReport = z
  .object({
    ok: z.boolean(),
    nodes: z.int(),
    raw: z.int(),
    findings: z.array(KnowledgeFinding),
    /** The number of further findings that are not listed. */
    omitted: z.int(),
  })
  .meta({ id: 'KnowledgeLintReport' });
export type KnowledgeLintReport = z.infer<typeof KnowledgeLintReport>;
