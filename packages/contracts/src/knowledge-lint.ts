import * as z from 'zod';

/** What the lint looks for, each with its own code. Fatal ones keep a change out; the others only say something. */
export const KNOWLEDGE_CHECKS = {
  'drawer-malformed': { fatal: true, title: 'The property drawer is malformed' },
  'id-missing': { fatal: true, title: 'The node has no :ID:' },
  'id-invalid': { fatal: true, title: 'The :ID: is no UUID' },
  'id-duplicate': { fatal: true, title: 'Two nodes have the same :ID:' },
  'title-missing': { fatal: true, title: 'There is no #+title:' },
  'property-missing': { fatal: true, title: 'A required property is missing' },
  'property-invalid': { fatal: true, title: 'A required property has no valid value' },
  'type-missing': { fatal: true, title: 'No file tag says what kind of node it is' },
  'project-invalid': { fatal: true, title: 'A project slug is not valid' },
  'org-invalid': { fatal: true, title: 'The org structure is broken' },
  'encoding-invalid': { fatal: true, title: 'The file is not UTF-8 text' },
  'link-broken': { fatal: true, title: 'An id link leads nowhere' },
  'index-missing': { fatal: true, title: 'A node is missing from the index' },
  'index-stale': { fatal: true, title: 'The index does not say what the nodes say' },
  'secret-found': { fatal: true, title: 'There is a secret in it' },
  'secret-suspected': { fatal: false, title: 'Perhaps there is a secret in it' },
  'file-too-large': { fatal: true, title: 'The file is too large to be checked' },
  'summary-missing': { fatal: false, title: 'There is no summary' },
  'summary-long': { fatal: false, title: 'The summary is longer than it should be' },
  'relation-unknown': { fatal: false, title: 'A word before a link is no known relation' },
  'source-missing': { fatal: false, title: 'A capture that is named as source is not there' },
  'title-duplicate': { fatal: false, title: 'Two nodes have the same title' },
  'whitespace-trailing': { fatal: false, title: 'Lines end with blanks' },
  'line-ends': { fatal: false, title: 'Lines end with carriage returns' },
} as const satisfies Record<string, { fatal: boolean; title: string }>;
export type KnowledgeCheck = keyof typeof KNOWLEDGE_CHECKS;

export const KnowledgeFinding = z
  .object({
    code: z.enum(Object.keys(KNOWLEDGE_CHECKS) as [KnowledgeCheck, ...KnowledgeCheck[]]),
    fatal: z.boolean(),
    path: z.string(),
    /** From 1; null when it is about the whole file. */
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
    /** Findings beyond those listed. */
    omitted: z.int(),
  })
  .meta({ id: 'KnowledgeLintReport' });
export type KnowledgeLintReport = z.infer<typeof KnowledgeLintReport>;
