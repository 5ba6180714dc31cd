import * as z from 'zod';

export const RECALL_LIMITS = { queryMaxChars: 1_000, limitMax: 50, limitDefault: 10 } as const;

/** What recall finds: items and documents of the memory, nodes of the knowledge base, what was said in chats and goals. */
export const RecallKind = z.enum(['item', 'document', 'node', 'chat', 'goal']);
export type RecallKind = z.infer<typeof RecallKind>;

export const RecallQuery = z.object({
  q: z.string().trim().min(1).max(RECALL_LIMITS.queryMaxChars),
  limit: z.coerce.number().int().min(1).max(RECALL_LIMITS.limitMax).default(RECALL_LIMITS.limitDefault),
  kind: RecallKind.optional(),
});
export type RecallQuery = z.infer<typeof RecallQuery>;

export const RecallHit = z
  .object({
    kind: RecallKind,
    /** What it is called: `12`, `space/home`, the id of a node, `c4`, `g12`. */
    name: z.string(),
    /** Of the section, the node or the session; empty for an item. */
    title: z.string(),
    /** The words that answer, as they stand there, cut. Data. */
    text: z.string(),
    /** The line of a document, the turn of a session; null elsewhere. */
    place: z.int().nullable(),
    by: z.string(),
    at: z.iso.datetime(),
    /** Compares hits of one answer only. */
    score: z.number(),
  })
  .meta({ id: 'RecallHit' });
export type RecallHit = z.infer<typeof RecallHit>;

/** Best first. */
export const RecallHits = z
  .object({
    items: z.array(RecallHit),
    /** Whether they were found by meaning, too; `away`: the model for it does not answer, so by words alone. */
    meaning: z.enum(['off', 'used', 'away']),
    /** Whether one of them probably answers; false: they come nearest, and nothing may be kept about that. */
    fits: z.boolean(),
    /** What could not be searched, and why; the rest was. */
    notes: z.array(z.string()),
  })
  .meta({ id: 'RecallHits' });
export type RecallHits = z.infer<typeof RecallHits>;

/** What was found has words of the question, or means something like it, and no more. */
export const NOTHING_FITS = 'None of these fits well: the answer may not be among them.';
