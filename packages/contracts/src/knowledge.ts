import * as z from 'zod';
import { KnowledgeFinding } from './knowledge-lint.js';

/** The kind of knowledge in a node. Every node has at least one of these as a file tag. */
export const KnowledgeType = z.enum(['principle', 'preference', 'procedure', 'observation', 'reference']);
export type KnowledgeType = z.infer<typeof KnowledgeType>;

/** How the claim was obtained: said by a person, seen in practice, checked, or concluded by a model. */
export const KnowledgeConfidence = z.enum(['stated', 'observed', 'verified', 'inferred']);
export type KnowledgeConfidence = z.infer<typeof KnowledgeConfidence>;

/**
 * `shared`: readers of any of its projects can read it; nodes in `general` are for everyone. `private`: readable for
 * its owner's tokens, and for tokens that name one of its projects other than `general`.
 */
export const KnowledgeVisibility = z.enum(['shared', 'private']);
export type KnowledgeVisibility = z.infer<typeof KnowledgeVisibility>;

export const KnowledgeStatus = z.enum(['active', 'contested', 'superseded']);
export type KnowledgeStatus = z.infer<typeof KnowledgeStatus>;

/** The word before a link, which says how the nodes relate. A link without such a word means "related". */
export const KnowledgeRelation = z.enum(['SUPERSEDES', 'CONTRADICTS', 'RELATES_TO', 'IMPLEMENTS', 'DERIVED_FROM']);
export type KnowledgeRelation = z.infer<typeof KnowledgeRelation>;

/**
 * A project's slug: the name of its folder in lower case, without leading and trailing characters other than letters,
 * digits, `_` and `@`.
 */
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

/** One search result: the required fields, and the fields that help a reader choose. */
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
    /** Captures under `raw/` that the node was made from. They are references and never search results. */
    sources: z.array(z.string()),
  })
  .meta({ id: 'KnowledgeHit' });
export type KnowledgeHit = z.infer<typeof KnowledgeHit>;

export const KnowledgeQuery = z.object({
  /** Words, a title or an ID. If it is empty, all nodes match, newest first. */
  text: z.string().max(KNOWLEDGE_LIMITS.queryMaxChars).default(''),
  project: ProjectSlug.optional(),
  type: KnowledgeType.optional(),
  status: KnowledgeStatus.optional(),
  limit: z.coerce.number().int().min(1).max(KNOWLEDGE_LIMITS.queryMax).default(KNOWLEDGE_LIMITS.queryDefault),
  /** How many of the best results to skip, for paging. */
  offset: z.coerce.number().int().min(0).max(100_000).default(0),
});
export type KnowledgeQuery = z.infer<typeof KnowledgeQuery>;

export const KnowledgeHits = z
  .object({
    items: z.array(KnowledgeHit),
    /** True if no node contains all the words, so that these nodes contain only some of them. */
    relaxed: z.boolean(),
    /** The commit that was searched; null until something is indexed. */
    commit: z.string().nullable(),
    /**
     * Whether the search by meaning was used. `unavailable` means that its model is unavailable. If absent, the search is
     * configured to use keywords only.
     */
    meaning: z.enum(['off', 'used', 'unavailable']).optional(),
    /**
     * Whether one of the results probably answers the question. If false, they are only the nearest ones, and no answer
     * may be based on them.
     */
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
  /** The text after the summary, as org. */
  body: z.string(),
  /** The source text of the whole file. */
  source: z.string(),
  /** Outgoing links. `title` is null if the reader may not see the node. */
  links: z.array(KnowledgeLink),
  /** Nodes that link here. */
  backlinks: z.array(KnowledgeLink),
  /** Set if a merge or deletion redirects the requested ID to this node: that ID, and the time of the redirect. */
  movedFrom: z.object({ id: z.uuid(), at: z.iso.datetime() }).optional(),
}).meta({ id: 'KnowledgeNode' });
export type KnowledgeNode = z.infer<typeof KnowledgeNode>;

/** A capture. It is kept unchanged under `raw/`, and the node names it as its source. */
export const RawCapture = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/),
  text: z.string().max(KNOWLEDGE_LIMITS.rawMaxBytes),
});

/** A new node, or a change of the node `id`. Fields that are absent stay unchanged. */
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
    /**
     * Set if a person says that the suspected secret in the node is not one. This covers only this text, and no
     * captures.
     */
    allowSecrets: z.literal(true).optional(),
  })
  .meta({ id: 'RememberNode' });
export type RememberNode = z.infer<typeof RememberNode>;

/** The input of `remember` for programs, which cannot allow secrets. */
export const RememberByTool = RememberNode.omit({ allowSecrets: true }).meta({ id: 'RememberByTool' });

/** The result of a write. `commit` is null if nothing changed. */
export const KnowledgeWrite = z
  .object({
    commit: z.string().nullable(),
    id: z.uuid().nullable(),
    path: z.string().nullable(),
    warnings: z.array(KnowledgeFinding),
    /** Notes for the writer, for example that the remote was not reachable. */
    notes: z.array(z.string()),
    /** Descriptions of suspected secrets that were allowed with this write; absent if there are none. */
    allowedSecrets: z.array(z.string()).optional(),
  })
  .meta({ id: 'KnowledgeWrite' });
export type KnowledgeWrite = z.infer<typeof KnowledgeWrite>;

export const KnowledgeGraphQuery = z.object({
  format: z.enum(['dot', 'svg']).default('dot'),
  project: ProjectSlug.optional(),
  /** The center of the graph. Only nodes that are at most `depth` links away from it are included. */
  around: z.uuid().optional(),
  depth: z.coerce.number().int().min(1).max(5).default(2),
});
export type KnowledgeGraphQuery = z.infer<typeof KnowledgeGraphQuery>;

export const KnowledgeGraph = z
  .object({ format: z.enum(['dot', 'svg']), text: z.string(), nodes: z.int(), links: z.int() })
  .meta({ id: 'KnowledgeGraph' });
export type KnowledgeGraph = z.infer<typeof KnowledgeGraph>;
