import * as z from 'zod';
import { KnowledgeFinding } from './knowledge-lint.js';

/** What a node is about. Every node has at least one of these as a file tag. */
export const KnowledgeType = z.enum(['principle', 'preference', 'procedure', 'observation', 'reference']);
export type KnowledgeType = z.infer<typeof KnowledgeType>;

/** How the claim was obtained: said by a person, seen in practice, checked, or concluded by a model. */
export const KnowledgeConfidence = z.enum(['stated', 'observed', 'verified', 'inferred']);
export type KnowledgeConfidence = z.infer<typeof KnowledgeConfidence>;

/**
 * `shared`: all readers of one of its projects can read it, and `general` belongs to everyone. `private`: only its
 * owner's tokens can read it, and tokens that name one of its projects other than `general`.
 */
export const KnowledgeVisibility = z.enum(['shared', 'private']);
export type KnowledgeVisibility = z.infer<typeof KnowledgeVisibility>;

export const KnowledgeStatus = z.enum(['active', 'contested', 'superseded']);
export type KnowledgeStatus = z.infer<typeof KnowledgeStatus>;

/** What stands before a link. A link without a word relates. */
export const KnowledgeRelation = z.enum(['SUPERSEDES', 'CONTRADICTS', 'RELATES_TO', 'IMPLEMENTS', 'DERIVED_FROM']);
export type KnowledgeRelation = z.infer<typeof KnowledgeRelation>;

/** A project's slug: the name of its folder, lower case, what is no letter, digit, `_` or `@` left out at the ends. */
export const ProjectSlug = z.string().regex(/^[a-z0-9][a-z0-9_@]{0,62}$/);
export type ProjectSlug = z.infer<typeof ProjectSlug>;

export const KNOWLEDGE_LIMITS = {
  titleMaxChars: 200,
  summaryMaxChars: 500,
  bodyMaxChars: 100_000,
  rawMaxBytes: 1_048_576,
  queryMaxChars: 400,
  queryDefault: 10,
  queryMax: 100,
} as const;

/** One line of an answer: what the seed's contract asks for, and what a reader needs to choose. */
export const KnowledgeHit = z
  .object({
    title: z.string(),
    id: z.uuid(),
    summary: z.string(),
    projects: z.array(z.string()),
    status: KnowledgeStatus,
    updated: z.iso.datetime(),
    path: z.string(),
    tags: z.array(z.string()),
    /** Captures under `raw/` that the node was made from: references, never results. */
    sources: z.array(z.string()),
  })
  .meta({ id: 'KnowledgeHit' });
export type KnowledgeHit = z.infer<typeof KnowledgeHit>;

export const KnowledgeQuery = z.object({
  /** Words, a title or an id. Empty: all nodes, newest first. */
  text: z.string().max(KNOWLEDGE_LIMITS.queryMaxChars).default(''),
  project: ProjectSlug.optional(),
  type: KnowledgeType.optional(),
  status: KnowledgeStatus.optional(),
  limit: z.coerce.number().int().min(1).max(KNOWLEDGE_LIMITS.queryMax).default(KNOWLEDGE_LIMITS.queryDefault),
  /** How many of the best to leave out, for paging. */
  offset: z.coerce.number().int().min(0).max(100_000).default(0),
});
export type KnowledgeQuery = z.infer<typeof KnowledgeQuery>;

export const KnowledgeHits = z
  .object({
    items: z.array(KnowledgeHit),
    /** No node holds all the words, so these hold some of them. */
    relaxed: z.boolean(),
    /** The commit that was searched; null while nothing is indexed. */
    commit: z.string().nullable(),
    /** Whether nodes were found by meaning, too; `away`: the model for it does not answer. Absent: by words, as set up. */
    meaning: z.enum(['off', 'used', 'away']).optional(),
    /** Whether one of them probably answers; false: they come nearest, and nothing may be written about that. */
    fits: z.boolean(),
  })
  .meta({ id: 'KnowledgeHits' });
export type KnowledgeHits = z.infer<typeof KnowledgeHits>;

export const KnowledgeLink = z
  .object({ relation: KnowledgeRelation, id: z.string(), title: z.string().nullable() })
  .meta({ id: 'KnowledgeLink' });
export type KnowledgeLink = z.infer<typeof KnowledgeLink>;

export const KnowledgeNode = KnowledgeHit.extend({
  created: z.iso.datetime(),
  lastCurated: z.iso.datetime().nullable(),
  createdBy: z.string(),
  confidence: KnowledgeConfidence,
  visibility: KnowledgeVisibility,
  /** What follows the summary, as org. */
  body: z.string(),
  /** The whole file. */
  source: z.string(),
  /** Where it leads. `title` is null where the reader may not see the node. */
  links: z.array(KnowledgeLink),
  /** Who leads here. */
  backlinks: z.array(KnowledgeLink),
  /** The id that was asked for, when a merge or deletion has led it to this node, and since when. */
  movedFrom: z.object({ id: z.uuid(), at: z.iso.datetime() }).optional(),
}).meta({ id: 'KnowledgeNode' });
export type KnowledgeNode = z.infer<typeof KnowledgeNode>;

/** A capture: kept as it is under `raw/`, and named by the node as its source. */
export const RawCapture = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/),
  text: z.string().max(KNOWLEDGE_LIMITS.rawMaxBytes),
});

/** A new node, or with `id` a change of that one: what is left out stays as it is. */
export const RememberNode = z
  .strictObject({
    id: z.uuid().optional(),
    title: z.string().trim().min(1).max(KNOWLEDGE_LIMITS.titleMaxChars).optional(),
    summary: z.string().trim().min(1).max(KNOWLEDGE_LIMITS.summaryMaxChars).optional(),
    body: z.string().max(KNOWLEDGE_LIMITS.bodyMaxChars).optional(),
    types: z.array(KnowledgeType).min(1).max(5).optional(),
    projects: z.array(ProjectSlug).min(1).max(20).optional(),
    confidence: KnowledgeConfidence.optional(),
    visibility: KnowledgeVisibility.optional(),
    status: KnowledgeStatus.optional(),
    links: z
      .array(z.strictObject({ relation: KnowledgeRelation, id: z.uuid() }))
      .max(50)
      .optional(),
    raw: z.array(RawCapture).max(10).optional(),
    /** What looks like a secret in the node is none, says a person: this text is let through, and no other. Not in captures. */
    allowSecrets: z.literal(true).optional(),
  })
  .meta({ id: 'RememberNode' });
export type RememberNode = z.infer<typeof RememberNode>;

/** What a program may write: it lets no secret through. */
export const RememberByTool = RememberNode.omit({ allowSecrets: true }).meta({ id: 'RememberByTool' });

/** What a write did. `commit` is null when nothing had changed. */
export const KnowledgeWrite = z
  .object({
    commit: z.string().nullable(),
    id: z.uuid().nullable(),
    path: z.string().nullable(),
    warnings: z.array(KnowledgeFinding),
    /** What the writer should know: that the remote was not reached, for instance. */
    notes: z.array(z.string()),
    /** What looks like a secret and was let through with this, in words; absent: nothing was. */
    letThrough: z.array(z.string()).optional(),
  })
  .meta({ id: 'KnowledgeWrite' });
export type KnowledgeWrite = z.infer<typeof KnowledgeWrite>;

export const KnowledgeGraphQuery = z.object({
  format: z.enum(['dot', 'svg']).default('dot'),
  project: ProjectSlug.optional(),
  /** Only what is at most `depth` links away from this node. */
  around: z.uuid().optional(),
  depth: z.coerce.number().int().min(1).max(5).default(2),
});
export type KnowledgeGraphQuery = z.infer<typeof KnowledgeGraphQuery>;

export const KnowledgeGraph = z
  .object({ format: z.enum(['dot', 'svg']), text: z.string(), nodes: z.int(), links: z.int() })
  .meta({ id: 'KnowledgeGraph' });
export type KnowledgeGraph = z.infer<typeof KnowledgeGraph>;
