import * as z from 'zod';
import { PresetName } from './goals.js';

export const MEMORY_CONTENT_MAX_CHARS = 16_000;
export const MEMORY_CANDIDATES_MAX = 10;
export const MEMORY_INJECT_MAX_CHARS = 2_000;

export const MemoryKind = z.enum(['fact', 'pref', 'context']);
export type MemoryKind = z.infer<typeof MemoryKind>;

/**
 * Where an item comes from: a person typed it (`typed`); a model proposed it from a person's words (`person`); a model
 * proposed it from the output of a command or tool, or from nothing that a person said (`output`); it was read from a
 * file (`imported`). What a model proposed is never put before a model until a person has accepted it.
 */
export const MemoryOrigin = z.enum(['typed', 'person', 'output', 'imported']);
export type MemoryOrigin = z.infer<typeof MemoryOrigin>;

/** What an item was made from. Null where nothing is known. */
export const MemorySource = z.object({
  sessionId: z.uuid().nullable(),
  /** The turn of that session that speaks of it most. */
  turn: z.int().nullable(),
  /** Of a goal. */
  step: z.int().nullable(),
  /** What that turn says of it; data. */
  excerpt: z.string().nullable(),
  /** The model that proposed it. */
  model: z.string().nullable(),
});
export type MemorySource = z.infer<typeof MemorySource>;

const number = z.int().min(1);
const content = z.string().trim().min(1).max(MEMORY_CONTENT_MAX_CHARS);
const tags = z.array(z.string().trim().min(1).max(64)).max(32);

/** One item. Its number is its owner's: 1, 2, 3, … together with the tombstones, without gaps. */
export const MemoryItem = z
  .object({
    number,
    kind: MemoryKind,
    content: z.string(),
    tags: z.array(z.string()),
    origin: MemoryOrigin,
    source: MemorySource.nullable(),
    /** Who added or accepted it. */
    by: z.string(),
    at: z.iso.datetime(),
    /** The item that this one was edited from. */
    replaces: number.nullable(),
    /** The tombstone that forgot it; null while it is active. */
    forgottenBy: number.nullable(),
  })
  .meta({ id: 'MemoryItem' });
export type MemoryItem = z.infer<typeof MemoryItem>;

/** Something in a text that looks like a secret: what it seems to be and where, never the secret. */
export const LikelySecret = z.object({ rule: z.string(), title: z.string(), span: z.tuple([z.int(), z.int()]) });
export type LikelySecret = z.infer<typeof LikelySecret>;

export const NearDuplicate = z.object({ number, content: z.string(), similarity: z.number() });
export type NearDuplicate = z.infer<typeof NearDuplicate>;

export const AddMemory = z
  .strictObject({
    kind: MemoryKind.default('fact'),
    content,
    tags: tags.default([]),
    /** The live session, whose next turn shows the item. */
    sessionId: z.uuid().optional(),
  })
  .meta({ id: 'AddMemory' });
export type AddMemory = z.infer<typeof AddMemory>;

/** The item, and what a person may want to know of it. It was added in any case. */
export const AddedMemory = z
  .object({ item: MemoryItem, duplicates: z.array(NearDuplicate), secrets: z.array(LikelySecret) })
  .meta({ id: 'AddedMemory' });
export type AddedMemory = z.infer<typeof AddedMemory>;

/** A new item takes the place of an old one, which gets a tombstone. What is absent stays as it was. */
export const EditMemory = z
  .strictObject({ kind: MemoryKind.optional(), content: content.optional(), tags: tags.optional() })
  .meta({ id: 'EditMemory' });
export type EditMemory = z.infer<typeof EditMemory>;

export const ListMemory = z.object({
  kind: MemoryKind.optional(),
  tag: z.string().min(1).max(64).optional(),
  /** `active`: what is not forgotten. */
  state: z.enum(['active', 'forgotten', 'all']).default('active'),
  /** What `next` of the page before said. */
  cursor: z.string().max(64).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});
export type ListMemory = z.infer<typeof ListMemory>;

/** Newest first. */
export const MemoryList = z
  .object({ items: z.array(MemoryItem), next: z.string().nullable() })
  .meta({ id: 'MemoryList' });
export type MemoryList = z.infer<typeof MemoryList>;

export const SearchMemory = z.object({
  q: z.string().trim().min(1).max(1000),
  limit: z.coerce.number().int().min(1).max(100).default(10),
});
export type SearchMemory = z.infer<typeof SearchMemory>;

/** Active items, and candidates that wait for a review. */
export const MemoryCounts = z.object({ active: z.int(), candidates: z.int() }).meta({ id: 'MemoryCounts' });
export type MemoryCounts = z.infer<typeof MemoryCounts>;

/** Best first; `score` compares hits of one search only. */
export const MemoryHits = z
  .object({
    items: z.array(MemoryItem.extend({ score: z.number() })),
    /** Whether they were found by meaning, too; `away`: the model for it does not answer, so by words alone. */
    meaning: z.enum(['off', 'used', 'away']),
    /** Whether one of them probably answers; false: they come nearest, and nothing may be remembered about that. */
    fits: z.boolean(),
  })
  .meta({ id: 'MemoryHits' });
export type MemoryHits = z.infer<typeof MemoryHits>;

/** Number of the tombstone, or null when there was nothing to forget; `status` says why, in words. */
export const ForgottenMemory = z
  .object({ number, tombstone: number.nullable(), status: z.string() })
  .meta({ id: 'ForgottenMemory' });
export type ForgottenMemory = z.infer<typeof ForgottenMemory>;

export const ClearMemory = z
  .strictObject({
    /** The question was put to a person, who said yes. */
    confirm: z.literal(true),
  })
  .meta({ id: 'ClearMemory' });
export type ClearMemory = z.infer<typeof ClearMemory>;

export const PruneMemory = z.strictObject({ olderThanDays: z.int().min(1).max(36_500) }).meta({ id: 'PruneMemory' });
export type PruneMemory = z.infer<typeof PruneMemory>;

/** The items that got a tombstone. */
export const ForgottenMany = z.object({ forgotten: z.array(number) }).meta({ id: 'ForgottenMany' });
export type ForgottenMany = z.infer<typeof ForgottenMany>;

/** One line of an item's story, oldest first. */
export const MemoryEvent = z.object({
  at: z.iso.datetime(),
  what: z.enum(['said', 'printed', 'proposed', 'accepted', 'typed', 'imported', 'edited', 'forgotten']),
  by: z.string(),
  detail: z.string(),
});
export type MemoryEvent = z.infer<typeof MemoryEvent>;

/** Why an item is what it is: the item, where it comes from, and what became of it. */
export const MemoryTrail = z.object({ item: MemoryItem, events: z.array(MemoryEvent) }).meta({ id: 'MemoryTrail' });
export type MemoryTrail = z.infer<typeof MemoryTrail>;

export const InjectMode = z.enum(['newest', 'relevant', 'off']);
export type InjectMode = z.infer<typeof InjectMode>;

/** The `[background]` block of a session; null when there is nothing to tell. */
export const MemoryBackground = z
  .object({
    text: z.string().nullable(),
    /** The items in it, in their order. */
    numbers: z.array(number),
    /** Whether active items found no room. */
    more: z.boolean(),
  })
  .meta({ id: 'MemoryBackground' });
export type MemoryBackground = z.infer<typeof MemoryBackground>;

/** Loads the block of a session again. Without a session: shows what a new one would get. */
export const InjectMemory = z.strictObject({ sessionId: z.uuid().optional() }).meta({ id: 'InjectMemory' });
export type InjectMemory = z.infer<typeof InjectMemory>;

export const CandidateState = z.enum(['pending', 'accepted', 'rejected']);
export type CandidateState = z.infer<typeof CandidateState>;

/** What a model would remember. It is in no list, search or prompt until a person has accepted it. */
export const MemoryCandidate = z
  .object({
    number,
    kind: MemoryKind,
    content: z.string(),
    tags: z.array(z.string()),
    origin: MemoryOrigin,
    source: MemorySource.nullable(),
    /** Active items that say nearly the same. */
    duplicates: z.array(NearDuplicate),
    secrets: z.array(LikelySecret),
    state: CandidateState,
    /** The item it became. */
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
    /** Which model is asked; the configured one when absent. */
    preset: PresetName.optional(),
  })
  .meta({ id: 'Summarize' });
export type Summarize = z.infer<typeof Summarize>;

export const Summary = z
  .object({
    candidates: z.array(MemoryCandidate),
    /** Turns that the model was shown, and older ones that did not fit. */
    turns: z.int(),
    omittedTurns: z.int(),
    /** Lines of its answer that were no candidates. */
    unreadable: z.int(),
    /** Candidates that had been proposed before: they wait for a review, or were rejected. */
    repeated: z.int(),
  })
  .meta({ id: 'Summary' });
export type Summary = z.infer<typeof Summary>;

/** Accepting as it is, or with other words. */
export const AcceptCandidate = z
  .strictObject({
    kind: MemoryKind.optional(),
    content: content.optional(),
    tags: tags.optional(),
    /** The live session, whose next turn shows the item. */
    sessionId: z.uuid().optional(),
  })
  .meta({ id: 'AcceptCandidate' });
export type AcceptCandidate = z.infer<typeof AcceptCandidate>;

export const MEMORY_IMPORT_MAX_CHARS = 64 * 1024 * 1024;

/** A whole `memory.jsonl`. */
export const ImportMemory = z
  .strictObject({ jsonl: z.string().max(MEMORY_IMPORT_MAX_CHARS) })
  .meta({ id: 'ImportMemory' });
export type ImportMemory = z.infer<typeof ImportMemory>;

/** How many entries were taken over or there already, which got a new number, and which lines could not be read. */
export const ImportReport = z
  .object({
    imported: z.int(),
    known: z.int(),
    /** Numbers that belonged to another entry here. Tombstones of the file follow. */
    renumbered: z.array(z.object({ line: z.int(), from: z.int(), to: z.int() })),
    broken: z.array(z.object({ line: z.int(), reason: z.string() })),
  })
  .meta({ id: 'ImportReport' });
export type ImportReport = z.infer<typeof ImportReport>;

/** A client's word that its person has left a session. */
export const EndSession = z.strictObject({ sessionId: z.uuid() }).meta({ id: 'EndSession' });
export type EndSession = z.infer<typeof EndSession>;

/** Whether something is done about it now, in the background. */
export const EndedSession = z.object({ summarizing: z.boolean() }).meta({ id: 'EndedSession' });
export type EndedSession = z.infer<typeof EndedSession>;

/** The caller: a person, or an app that is bound to one space and belongs to a person. */
export interface MemoryCaller {
  readonly owner: string;
  readonly app: { readonly space: string; readonly name: string } | null;
  /** Where a person works now, who names no other space; without, `general`. */
  readonly space?: string;
}

/** The number of an item or a candidate, as it is in a path. */
export const MemoryNumber = z.coerce.number().int().min(1).max(2_147_483_647);
