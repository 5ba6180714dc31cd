import * as z from 'zod';

/**
 * An operation on the knowledge base that only a person may run. It is planned first, and runs when the plan's ID is
 * sent.
 */
export const KnowledgeOperation = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('merge'), into: z.uuid(), from: z.array(z.uuid()).min(1).max(20) }),
    z.strictObject({
      kind: z.literal('split'),
      id: z.uuid(),
      /** Titles of top-level headlines that become separate nodes. If there are none, every top-level headline does. */
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
    /** Identifies exactly this outcome for exactly this state of the repository. */
    planId: z.string(),
    summary: z.string(),
    changes: z.array(z.object({ path: z.string(), change: z.enum(['add', 'change', 'remove']), why: z.string() })),
    /** Number of files of other nodes whose links change. */
    repointed: z.int(),
    /** IDs that disappear, and their replacements; `to` is null if there is no replacement. */
    moves: z.array(z.object({ id: z.uuid(), to: z.uuid().nullable(), title: z.string().nullable() })),
    /** Other references to these IDs, in items and documents of memory, and whether the plan rewrites them. */
    pointers: z.array(z.object({ where: z.string(), rewritten: z.boolean() })),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'KnowledgePlan' });
export type KnowledgePlan = z.infer<typeof KnowledgePlan>;

export const ApplyKnowledgePlan = z
  .strictObject({ planId: z.string(), operation: KnowledgeOperation })
  .meta({ id: 'ApplyKnowledgePlan' });
export type ApplyKnowledgePlan = z.infer<typeof ApplyKnowledgePlan>;

/** The state of the branch relative to the remote, and the last push. Reading it needs no network. */
export const KnowledgeSyncState = z
  .object({
    remote: z.string().nullable(),
    ahead: z.int().nullable(),
    behind: z.int().nullable(),
    pushedAt: z.iso.datetime().nullable(),
    /**
     * Why the last push failed; null if it did not fail. After `rejected` aish does not push again until a person has
     * looked at it.
     */
    pushFailure: z
      .object({ kind: z.enum(['unreachable', 'rejected', 'failed']), detail: z.string(), at: z.iso.datetime() })
      .nullable(),
    diverged: z.boolean(),
  })
  .meta({ id: 'KnowledgeSyncState' });
export type KnowledgeSyncState = z.infer<typeof KnowledgeSyncState>;

export const KnowledgeStatusReport = z
  .object({
    /** False if the repository does not exist yet. */
    present: z.boolean(),
    dir: z.string().nullable(),
    branch: z.string().nullable(),
    commit: z.string().nullable(),
    indexedCommit: z.string().nullable(),
    nodes: z.int(),
    sync: KnowledgeSyncState.nullable(),
    /** One line for people if something needs attention; null if all is well. */
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
  /** The next step for the person; null if there is none. */
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
    /** Why a cleanup is due; null if none is. */
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
    /** Files that are not valid nodes and are left out of the index. `kb doctor --lint` says why. */
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
