import * as z from 'zod';

export const RECALL_LIMITS = { queryMaxChars: 1_000, limitMax: 50, limitDefault: 10 } as const;

/**
 * The texts that recall finds: items and documents of the memory, nodes of the knowledge base, and turns of chats and
 * goals.
 */
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
    /** The name that people use, such as `12`, `space/home`, the ID of a node, `c4` or `g12`. */
    name: z.string(),
    /** The title of the section, the node or the session; empty for an item. */
    title: z.string(),
    /** An excerpt that contains the answer. It is cut but otherwise unchanged. It is data. */
    text: z.string(),
    /** The line of a document or the turn of a session; null for other kinds. */
    place: z.int().nullable(),
    by: z.string(),
    at: z.iso.datetime(),
    /** The score; only comparable within one result. */
    score: z.number(),
  })
  .meta({ id: 'RecallHit' });
export type RecallHit = z.infer<typeof RecallHit>;

/** The results of a recall, best first. */
export const RecallHits = z
  .object({
    items: z.array(RecallHit),
    /**
     * Whether the search by meaning was used. `unavailable`: its model is unavailable, so the results come from keywords
     * alone.
     */
    meaning: z.enum(['off', 'used', 'unavailable']),
    /**
     * Whether one of the results probably answers the question. If false, they are only the nearest ones, and nothing
     * may be stored from them.
     */
    fits: z.boolean(),
    /** Sources that could not be searched, and why. Everything else was searched. */
    notes: z.array(z.string()),
  })
  .meta({ id: 'RecallHits' });
export type RecallHits = z.infer<typeof RecallHits>;

/** Shown if the results only share words or some meaning with the question. */
export const LOW_CONFIDENCE = 'None of these fits well: the answer may not be among them.';
