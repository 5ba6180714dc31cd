import * as z from 'zod';
import { PresetName } from './goals.js';
import { MEMORY_CONTENT_MAX_CHARS } from './limits.js';

export const MEMORY_CANDIDATES_MAX = 10;
export const MEMORY_INJECT_MAX_CHARS = 2_000;

export const MemoryKind = z.enum(['fact', 'pref', 'context']);
export type MemoryKind = z.infer<typeof MemoryKind>;

/**
 * The origin of an item: a person typed it (`typed`); a model proposed it from a person's words (`person`); a model
 * proposed it from the output of a command or tool, or from nothing that a person said (`output`); it was read from a
 * file (`imported`). Models see a proposal only after a person has accepted it.
 */
export const MemoryOrigin = z.enum(['typed', 'person', 'output', 'imported']);
export type MemoryOrigin = z.infer<typeof MemoryOrigin>;

/** The source of an item. Fields are null if unknown. */
export const MemorySource = z.object({
  sessionId: z.uuid().nullable(),
  /** The turn of that session that matches the item best. */
  turn: z.int().nullable(),
  /** The step of a goal. */
  step: z.int().nullable(),
  /** An excerpt of that turn. It is data. */
  excerpt: z.string().nullable(),
  /** The model that proposed it. */
  model: z.string().nullable(),
});
export type MemorySource = z.infer<typeof MemorySource>;

const number = z.int().min(1);
const content = z.string().trim().min(1).max(MEMORY_CONTENT_MAX_CHARS);
const tags = z.array(z.string().trim().min(1).max(64)).max(32);

/** One item. The items and tombstones of an owner share one sequence of numbers: 1, 2, 3, … without gaps. */
export const MemoryItem = z
  .object({
    number,
    kind: MemoryKind,
    content: z.string(),
    tags: z.array(z.string()),
    origin: MemoryOrigin,
    source: MemorySource.nullable(),
    /** The person who added or accepted it. */
    by: z.string(),
    at: z.iso.datetime(),
    /** The number of the item that this one replaced in an edit. */
    replaces: number.nullable(),
    /** The tombstone of the item; null while it is active. */
    forgottenBy: number.nullable(),
  })
  .meta({ id: 'MemoryItem' });
export type MemoryItem = z.infer<typeof MemoryItem>;

/** A suspected secret in a text: its kind and position, never its value. */
export const LikelySecret = z.object({ rule: z.string(), title: z.string(), span: z.tuple([z.int(), z.int()]) });
export type LikelySecret = z.infer<typeof LikelySecret>;

export const NearDuplicate = z.object({ number, content: z.string(), similarity: z.number() });
export type NearDuplicate = z.infer<typeof NearDuplicate>;

export const AddMemory = z
  .strictObject({
    kind: MemoryKind.default('fact'),
    content,
    tags: tags.default([]),
    /** The live session. The item appears in its next turn. */
    sessionId: z.uuid().optional(),
  })
  .meta({ id: 'AddMemory' });
export type AddMemory = z.infer<typeof AddMemory>;

/** The item, and warnings about it. The item was added in any case. */
export const AddedMemory = z
  .object({ item: MemoryItem, duplicates: z.array(NearDuplicate), secrets: z.array(LikelySecret) })
  .meta({ id: 'AddedMemory' });
export type AddedMemory = z.infer<typeof AddedMemory>;

/** Replaces an old item with a new one. The old item gets a tombstone. Absent fields stay unchanged. */
export const EditMemory = z
  .strictObject({ kind: MemoryKind.optional(), content: content.optional(), tags: tags.optional() })
  .meta({ id: 'EditMemory' });
export type EditMemory = z.infer<typeof EditMemory>;

export const ListMemory = z.object({
  kind: MemoryKind.optional(),
  tag: z.string().min(1).max(64).optional(),
  /** `active` selects items that are not forgotten. */
  state: z.enum(['active', 'forgotten', 'all']).default('active'),
  /** The value of `next` on the previous page. */
  cursor: z.string().max(64).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});
export type ListMemory = z.infer<typeof ListMemory>;

/** Items, newest first. */
export const MemoryList = z
  .object({ items: z.array(MemoryItem), next: z.string().nullable() })
  .meta({ id: 'MemoryList' });
export type MemoryList = z.infer<typeof MemoryList>;

export const SearchMemory = z.object({
  q: z.string().trim().min(1).max(1000),
  limit: z.coerce.number().int().min(1).max(100).default(10),
});
export type SearchMemory = z.infer<typeof SearchMemory>;

/** The number of active items, and of candidates that wait for a review. */
export const MemoryCounts = z.object({ active: z.int(), candidates: z.int() }).meta({ id: 'MemoryCounts' });
export type MemoryCounts = z.infer<typeof MemoryCounts>;

/** Results, best first. `score` is only comparable within one search. */
export const MemoryHits = z
  .object({
    items: z.array(MemoryItem.extend({ score: z.number() })),
    /**
     * Whether the search by meaning was used. `unavailable`: its model is unavailable, so the results come from keywords
     * alone.
     */
    meaning: z.enum(['off', 'used', 'unavailable']),
    /**
     * Whether one of the results probably answers the question. If false, they are only the nearest ones, and nothing
     * may be remembered from them.
     */
    fits: z.boolean(),
  })
  .meta({ id: 'MemoryHits' });
export type MemoryHits = z.infer<typeof MemoryHits>;

/** The number of the tombstone, or null if there was nothing to forget. `status` gives the reason in words. */
export const ForgottenMemory = z
  .object({ number, tombstone: number.nullable(), status: z.string() })
  .meta({ id: 'ForgottenMemory' });
export type ForgottenMemory = z.infer<typeof ForgottenMemory>;

export const ClearMemory = z
  .strictObject({
    /** States that a person was asked and confirmed. */
    confirm: z.literal(true),
  })
  .meta({ id: 'ClearMemory' });
export type ClearMemory = z.infer<typeof ClearMemory>;

export const PruneMemory = z.strictObject({ olderThanDays: z.int().min(1).max(36_500) }).meta({ id: 'PruneMemory' });
export type PruneMemory = z.infer<typeof PruneMemory>;

/** The items that got a tombstone. */
export const ForgottenMany = z.object({ forgotten: z.array(number) }).meta({ id: 'ForgottenMany' });
export type ForgottenMany = z.infer<typeof ForgottenMany>;

/** One line of an item's history. */
export const MemoryEvent = z.object({
  at: z.iso.datetime(),
  what: z.enum(['said', 'printed', 'proposed', 'accepted', 'typed', 'imported', 'edited', 'forgotten']),
  by: z.string(),
  detail: z.string(),
});
export type MemoryEvent = z.infer<typeof MemoryEvent>;

/** The history of an item: the item, its origin, and its events, oldest first. */
export const MemoryHistory = z.object({ item: MemoryItem, events: z.array(MemoryEvent) }).meta({ id: 'MemoryHistory' });
export type MemoryHistory = z.infer<typeof MemoryHistory>;

export const InjectMode = z.enum(['newest', 'relevant', 'off']);
export type InjectMode = z.infer<typeof InjectMode>;

/** The `[background]` block of a session; null if it would be empty. */
export const MemoryBackground = z
  .object({
    text: z.string().nullable(),
    /** The items in the block, in order. */
    numbers: z.array(number),
    /** Whether some active items did not fit. */
    more: z.boolean(),
  })
  .meta({ id: 'MemoryBackground' });
export type MemoryBackground = z.infer<typeof MemoryBackground>;

/** Rebuilds the block of a session. Without a session, it shows the block that a new session would get. */
export const InjectMemory = z.strictObject({ sessionId: z.uuid().optional() }).meta({ id: 'InjectMemory' });
export type InjectMemory = z.infer<typeof InjectMemory>;

export const CandidateState = z.enum(['pending', 'accepted', 'rejected']);
export type CandidateState = z.infer<typeof CandidateState>;

/** A proposal of a model for the memory. It appears in no list, search or prompt until a person accepts it. */
export const MemoryCandidate = z
  .object({
    number,
    kind: MemoryKind,
    content: z.string(),
    tags: z.array(z.string()),
    origin: MemoryOrigin,
    source: MemorySource.nullable(),
    /** Active items with nearly the same meaning as the proposal. */
    duplicates: z.array(NearDuplicate),
    secrets: z.array(LikelySecret),
    state: CandidateState,
    /** The number of the item that was made from the candidate. */
    itemNumber: number.nullable(),
    proposedBy: z.string(),
    at: z.iso.datetime(),
    decidedBy: z.string().nullable(),
    decidedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'MemoryCandidate' });
export type MemoryCandidate = z.infer<typeof MemoryCandidate>;

export const ListCandidates = z.object({
  state: CandidateState.default('pending'),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});
export type ListCandidates = z.infer<typeof ListCandidates>;

export const CandidateList = z.object({ items: z.array(MemoryCandidate) }).meta({ id: 'CandidateList' });
export type CandidateList = z.infer<typeof CandidateList>;

export const Summarize = z
  .strictObject({
    sessionId: z.uuid(),
    /** The preset whose model is asked. Default: the configured one. */
    preset: PresetName.optional(),
  })
  .meta({ id: 'Summarize' });
export type Summarize = z.infer<typeof Summarize>;

export const Summary = z
  .object({
    candidates: z.array(MemoryCandidate),
    /** The number of turns that the model was shown, and of older ones that did not fit. */
    turns: z.int(),
    omittedTurns: z.int(),
    /** Lines of the model's answer that are not candidates. */
    unreadable: z.int(),
    /** Candidates that were proposed before. They still wait for a review, or a person rejected them. */
    repeated: z.int(),
  })
  .meta({ id: 'Summary' });
export type Summary = z.infer<typeof Summary>;

/** Accepts the candidate, optionally with other words. */
export const AcceptCandidate = z
  .strictObject({
    kind: MemoryKind.optional(),
    content: content.optional(),
    tags: tags.optional(),
    /** The live session. The item appears in its next turn. */
    sessionId: z.uuid().optional(),
  })
  .meta({ id: 'AcceptCandidate' });
export type AcceptCandidate = z.infer<typeof AcceptCandidate>;

export const MEMORY_IMPORT_MAX_CHARS = 64 * 1024 * 1024;

/** The full text of a `memory.jsonl`. */
export const ImportMemory = z
  .strictObject({ jsonl: z.string().max(MEMORY_IMPORT_MAX_CHARS) })
  .meta({ id: 'ImportMemory' });
export type ImportMemory = z.infer<typeof ImportMemory>;

/** How many entries were imported, existed already or got a new number, and which lines could not be read. */
export const ImportReport = z
  .object({
    imported: z.int(),
    known: z.int(),
    /** Entries whose number was already in use. Tombstones in the file refer to the new numbers. */
    renumbered: z.array(z.object({ line: z.int(), from: z.int(), to: z.int() })),
    broken: z.array(z.object({ line: z.int(), reason: z.string() })),
  })
  .meta({ id: 'ImportReport' });
export type ImportReport = z.infer<typeof ImportReport>;

/** A client reports that its person has left a session. */
export const EndSession = z.strictObject({ sessionId: z.uuid() }).meta({ id: 'EndSession' });
export type EndSession = z.infer<typeof EndSession>;

/** Whether a summary is now being written in the background. */
export const EndedSession = z.object({ summarizing: z.boolean() }).meta({ id: 'EndedSession' });
export type EndedSession = z.infer<typeof EndedSession>;

/** The caller: a person, or an app that is bound to one space and belongs to a person. */
export interface MemoryCaller {
  readonly owner: string;
  readonly app: { readonly space: string; readonly name: string } | null;
  /** The person's current space, used if the request names none. Default: `general`. */
  readonly space?: string;
}

/** The number of an item or a candidate in a path. */
export const MemoryNumber = z.coerce.number().int().min(1).max(2_147_483_647);
