import { z } from 'zod';

/** What a node is about. Every node has at least one of these as a file tag. */
export const KnowledgeType = z.enum(['principle', 'preference', 'procedure', 'observation', 'reference']);
export type KnowledgeType = z.infer<typeof KnowledgeType>;

/** How the claim was obtained: said by a person, seen in practice, checked, or concluded by a model. */
export const KnowledgeConfidence = z.enum(['stated', 'observed', 'verified', 'inferred']);
export type KnowledgeConfidence = z.infer<typeof KnowledgeConfidence>;

/**
 * `shared`: whoever may read one of its projects reads it, and `general` belongs to everyone. `private`: only its
 * owner's tokens, and tokens that name one of its projects other than `general`.
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
    /** Whether one of them probably answers. Absent: one that holds all the words does. */
    fits: z.boolean().optional(),
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
export type RawCapture = z.infer<typeof RawCapture>;

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

/** What a write did. `commit` is null when nothing had changed. */
export const KnowledgeWrite = z
  .object({
    commit: z.string().nullable(),
    id: z.uuid().nullable(),
    path: z.string().nullable(),
    warnings: z.array(KnowledgeFinding),
    /** What the writer should know: that the remote was not reached, for instance. */
    notes: z.array(z.string()),
  })
  .meta({ id: 'KnowledgeWrite' });
export type KnowledgeWrite = z.infer<typeof KnowledgeWrite>;

/** What only a person may have done to the knowledge base; planned first, carried out on the plan's id. */
export const KnowledgeOperation = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('merge'), into: z.uuid(), from: z.array(z.uuid()).min(1).max(20) }),
    z.strictObject({
      kind: z.literal('split'),
      id: z.uuid(),
      /** Titles of top-level headlines that become nodes of their own; empty: all of them. */
      headlines: z.array(z.string()).max(50).default([]),
    }),
    z.strictObject({ kind: z.literal('supersede'), id: z.uuid(), by: z.uuid() }),
    z.strictObject({ kind: z.literal('delete'), id: z.uuid(), repointTo: z.uuid().optional() }),
    z.strictObject({ kind: z.literal('delete-raw'), path: z.string().regex(/^raw\/[^\0]+$/) }),
    z.strictObject({ kind: z.literal('curated'), id: z.uuid() }),
  ])
  .meta({ id: 'KnowledgeOperation' });
export type KnowledgeOperation = z.infer<typeof KnowledgeOperation>;

export const KnowledgePlan = z
  .object({
    /** Names exactly this outcome on exactly this state of the repository. */
    planId: z.string(),
    summary: z.string(),
    changes: z.array(z.object({ path: z.string(), change: z.enum(['add', 'change', 'remove']), why: z.string() })),
    /** Files of other nodes whose links are changed. */
    repointed: z.int(),
    /** Ids that go, and what stands for them from then on; null: nothing does. */
    moves: z.array(z.object({ id: z.uuid(), to: z.uuid().nullable(), title: z.string().nullable() })),
    /** What else names these ids: items and documents of memory, and whether carrying out the plan rewrites it. */
    pointers: z.array(z.object({ where: z.string(), rewritten: z.boolean() })),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'KnowledgePlan' });
export type KnowledgePlan = z.infer<typeof KnowledgePlan>;

export const ApplyKnowledgePlan = z
  .strictObject({ planId: z.string(), operation: KnowledgeOperation })
  .meta({ id: 'ApplyKnowledgePlan' });
export type ApplyKnowledgePlan = z.infer<typeof ApplyKnowledgePlan>;

/** How the branch stands to the remote, and the last push; no network is asked for this. */
export const KnowledgeSyncState = z
  .object({
    remote: z.string().nullable(),
    ahead: z.int().nullable(),
    behind: z.int().nullable(),
    pushedAt: z.iso.datetime().nullable(),
    /** Why the last push failed; null when it did not. `rejected` is not tried again before somebody has looked. */
    pushFailure: z
      .object({ kind: z.enum(['unreachable', 'rejected', 'failed']), detail: z.string(), at: z.iso.datetime() })
      .nullable(),
    diverged: z.boolean(),
  })
  .meta({ id: 'KnowledgeSyncState' });
export type KnowledgeSyncState = z.infer<typeof KnowledgeSyncState>;

export const KnowledgeStatusReport = z
  .object({
    /** False: there is no repository yet. */
    present: z.boolean(),
    dir: z.string().nullable(),
    branch: z.string().nullable(),
    commit: z.string().nullable(),
    indexedCommit: z.string().nullable(),
    nodes: z.int(),
    sync: KnowledgeSyncState.nullable(),
    /** One line for people when something needs them; null when all is well. */
    notice: z.string().nullable(),
  })
  .meta({ id: 'KnowledgeStatusReport' });
export type KnowledgeStatusReport = z.infer<typeof KnowledgeStatusReport>;

export const KnowledgeDoctorCheck = z.object({
  name: z.enum([
    'repository',
    'branch',
    'tree',
    'remote',
    'remote-private',
    'sync',
    'push',
    'tools',
    'index',
    'database',
    'lint',
    'secrets',
    'curation',
    'adapter',
    'org-roam',
  ]),
  state: z.enum(['ok', 'warning', 'failed']),
  detail: z.string(),
  /** What to do; null when nothing. */
  advice: z.string().nullable(),
});
export type KnowledgeDoctorCheck = z.infer<typeof KnowledgeDoctorCheck>;

export const KnowledgeDoctorReport = z
  .object({ ok: z.boolean(), checks: z.array(KnowledgeDoctorCheck) })
  .meta({ id: 'KnowledgeDoctorReport' });
export type KnowledgeDoctorReport = z.infer<typeof KnowledgeDoctorReport>;

const Mention = z.object({ id: z.string().nullable(), path: z.string(), title: z.string(), why: z.string() });

export const KnowledgeCurationReport = z
  .object({
    duplicates: z.array(z.object({ nodes: z.array(Mention), why: z.string() })),
    superseded: z.array(Mention),
    contested: z.array(Mention),
    orphans: z.array(Mention),
    overBroad: z.array(Mention),
    rawWithoutNode: z.array(z.string()),
    untouched: z.array(Mention),
    /** Whether it is time, and why. */
    due: z.string().nullable(),
    omitted: z.int(),
  })
  .meta({ id: 'KnowledgeCurationReport' });
export type KnowledgeCurationReport = z.infer<typeof KnowledgeCurationReport>;

export const KnowledgeSyncRequest = z
  .strictObject({ full: z.boolean().default(false) })
  .meta({ id: 'KnowledgeSyncRequest' });
export type KnowledgeSyncRequest = z.infer<typeof KnowledgeSyncRequest>;

export const KnowledgeSyncResult = z
  .object({
    commit: z.string(),
    full: z.boolean(),
    added: z.int(),
    changed: z.int(),
    removed: z.int(),
    /** Files that are no valid nodes; `kb lint` says why. They are left out. */
    skipped: z.array(z.string()),
  })
  .meta({ id: 'KnowledgeSyncResult' });
export type KnowledgeSyncResult = z.infer<typeof KnowledgeSyncResult>;

export const KnowledgePushResult = z
  .object({
    outcome: z.enum(['pushed', 'nothing', 'no-remote', 'waiting', 'unreachable', 'rejected', 'failed']),
    detail: z.string(),
    ahead: z.int().nullable(),
  })
  .meta({ id: 'KnowledgePushResult' });
export type KnowledgePushResult = z.infer<typeof KnowledgePushResult>;

export const InitKnowledge = z
  .strictObject({ remote: z.string().trim().min(1).max(2_000).optional() })
  .meta({ id: 'InitKnowledge' });
export type InitKnowledge = z.infer<typeof InitKnowledge>;

export const KnowledgeInit = z
  .object({
    dir: z.string(),
    outcome: z.enum(['made', 'cloned', 'adopted', 'unchanged']),
    branch: z.string(),
    commit: z.string(),
    notes: z.array(z.string()),
  })
  .meta({ id: 'KnowledgeInit' });
export type KnowledgeInit = z.infer<typeof KnowledgeInit>;

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
