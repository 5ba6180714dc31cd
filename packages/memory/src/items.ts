import { invariant } from '@aish/contracts/invariant';
import type {
  InjectMode,
  ListMemory,
  MemoryBackground,
  MemoryItem,
  MemoryKind,
  MemoryList,
  NearDuplicate,
} from '@aish/contracts/memory';
import { AishError } from '@aish/contracts/problems';
import { LockNamespace, lockInTransaction } from '@aish/database/advisory-lock';
import type { Database } from '@aish/database/client';
import {
  countActive,
  findEntry,
  forgetAll,
  itemsByNumber,
  findShownBackground,
  type ShownBackground,
  listActiveItems,
  listAllItems,
  nearDuplicates,
  storableItem,
  toMemoryItem,
  type NewItem,
} from '@aish/database/memory-items.repository';
import type { ScoredItem } from '@aish/database/memory-search.repository';
import { addToBackground, dropBackground, putBackground } from '@aish/database/memory-sessions.repository';
import { inTransaction } from '@aish/database/transaction';
import { EntryWriter } from './entry-writer.js';
import { chooseItems, renderBackground } from './render-background.js';
import type { Asked, Meaning } from './meaning.js';
import { ItemSearch, type FoundItems } from './search.js';

export interface InjectSettings {
  readonly mode: InjectMode;
  /** Maximum characters of the whole block. */
  readonly maxChars: number;
}

export interface ItemInput {
  readonly kind: MemoryKind;
  readonly content: string;
  readonly tags: readonly string[];
  readonly by: string;
}

/** Items with at least this trigram similarity count as near duplicates. */
const NEARLY_THE_SAME = 0.6;
const DUPLICATES_SHOWN = 3;
/** The shortest line of the block has about ten characters. */
const SHORTEST_LINE_CHARS = 10;
const USUAL_LINE_CHARS = 40;
const RELEVANT_MAX = 100;
/** The share of a block of relevant items that is reserved for the newest items on any topic. */
const NEWEST_SHARE = 0.25;

/** The curated items of people. Every result belongs to one owner. */
export class MemoryItems {
  private readonly writer: EntryWriter;
  private readonly finder: ItemSearch;

  /** @param meaning also finds items by meaning; null means keywords only. */
  constructor(
    private readonly db: Database,
    meaning: Meaning | null = null,
  ) {
    this.writer = new EntryWriter(db);
    this.finder = new ItemSearch(db, meaning);
  }

  /** Adds an item that a person typed. With a session, the item appears in the session's next turn. */
  async add(owner: string, input: ItemInput, sessionId?: string): Promise<MemoryItem> {
    const item = storableItem({ ...input, origin: 'typed', source: sourceOf(sessionId) });
    const given = await this.writer.apply(owner, { type: 'add', item });
    invariant(given !== null, 'an item that is added gets a number');
    if (sessionId !== undefined) await addToBackground(this.db.statements, sessionId, owner, given.number);
    return written(item, given, null);
  }

  /**
   * Writes the item as a new version and forgets the old one.
   *
   * @throws AishError `not_found` if there is no such active item.
   */
  async edit(owner: string, number: number, change: Partial<ItemInput> & { readonly by: string }): Promise<MemoryItem> {
    const old = await this.find(owner, number);
    const item = storableItem({
      kind: change.kind ?? old.kind,
      content: change.content ?? old.content,
      tags: change.tags ?? old.tags,
      origin: 'typed',
      source: old.source,
      by: change.by,
    });
    const given = await this.writer.apply(owner, { type: 'replace', target: number, item });
    if (given === null) throw new AishError('not_found', `Item ${number} was forgotten`);
    return written(item, given, number);
  }

  /**
   * Writes a tombstone.
   *
   * @returns the number of the tombstone, or null if there was nothing to forget.
   */
  async forget(owner: string, number: number, by: string): Promise<number | null> {
    return (await this.writer.apply(owner, { type: 'forget', target: number, by }))?.number ?? null;
  }

  /**
   * Forgets every active item, or those older than `before`.
   *
   * @returns the numbers of the forgotten items.
   */
  forgetAll(owner: string, by: string, before: Date | null = null): Promise<number[]> {
    return inTransaction(
      this.db,
      async (tx) => {
        await lockInTransaction(tx, LockNamespace.memoryItems, owner);
        return forgetAll(tx, owner, by, before);
      },
      { timeoutMs: 60_000 },
    );
  }

  /**
   * Returns the item, active or forgotten.
   *
   * @throws AishError `not_found`
   */
  async find(owner: string, number: number): Promise<MemoryItem> {
    const row = await findEntry(this.db.statements, owner, number);
    if (row === null || row.kind === 'forget') throw new AishError('not_found', `There is no item ${number}`);
    return toMemoryItem(row);
  }

  count(owner: string): Promise<number> {
    return countActive(this.db.statements, owner);
  }

  /**
   * Returns a page of items, newest first.
   *
   * @throws AishError `invalid_body` for the cursor of another owner.
   */
  async list(owner: string, query: Omit<ListMemory, 'limit'> & { readonly limit: number }): Promise<MemoryList> {
    const filter = { kind: query.kind ?? null, tag: query.tag ?? null, limit: query.limit + 1 };
    const after = query.cursor === undefined ? null : parseCursor(query.cursor);
    const items =
      query.state === 'active'
        ? await listActiveItems(this.db.statements, owner, filter, after)
        : await listAllItems(
            this.db.statements,
            owner,
            { ...filter, forgottenOnly: query.state === 'forgotten' },
            after?.number ?? null,
          );
    const page = items.slice(0, query.limit);
    const last = page.at(-1);
    const next = items.length > page.length && last !== undefined ? `${last.at}_${last.number}` : null;
    return { items: page, next };
  }

  /** Searches active items, best first. */
  async search(owner: string, question: string, limit: number): Promise<ScoredItem[]> {
    return (await this.lookFor(owner, question, limit)).items;
  }

  /** Searches active items, and says whether the search by meaning was used. */
  lookFor(owner: string, question: string, limit: number, asked?: Promise<Asked | null>): Promise<FoundItems> {
    return this.finder.find(owner, question, limit, asked);
  }

  /** Finds active items with nearly the same text as `content`, most similar first. */
  duplicates(owner: string, content: string, except?: number): Promise<NearDuplicate[]> {
    return inTransaction(this.db, async (tx) => {
      const found = await nearDuplicates(tx, owner, content, NEARLY_THE_SAME, DUPLICATES_SHOWN + 1);
      return found.filter((each) => each.number !== except).slice(0, DUPLICATES_SHOWN);
    });
  }

  /** Returns the background of a new session. */
  async background(owner: string, settings: InjectSettings, firstMessage: string | null): Promise<MemoryBackground> {
    if (settings.mode === 'off') return { text: null, numbers: [], more: false };
    const newest = await this.newest(owner, settings.maxChars);
    const items =
      settings.mode === 'relevant' && firstMessage !== null
        ? merge(await this.search(owner, firstMessage, RELEVANT_MAX), newest, settings.maxChars)
        : newest;
    const { chosen, more } = chooseItems(items, settings.maxChars);
    return { text: renderBackground(chosen), numbers: chosen.map((item) => item.number), more };
  }

  /** Returns the newest items that could fit into a block of this size, and one more. */
  private async newest(owner: string, maxChars: number): Promise<readonly MemoryItem[]> {
    const limitOf = (lineChars: number): number => Math.ceil(maxChars / lineChars) + 1;
    const list = (limit: number) => listActiveItems(this.db.statements, owner, { kind: null, tag: null, limit }, null);
    const usual = await list(limitOf(USUAL_LINE_CHARS));
    const isEnough = usual.length < limitOf(USUAL_LINE_CHARS) || chooseItems(usual, maxChars).more;
    return isEnough ? usual : list(limitOf(SHORTEST_LINE_CHARS));
  }

  /** Returns the background that this session was given, or null if it has none yet. */
  shownBackground(sessionId: string): Promise<ShownBackground | null> {
    return findShownBackground(this.db.statements, sessionId);
  }

  /**
   * Returns the background of a live session: the block, and the instructions for the memory documents. It is loaded
   * with the first message and stays the same, so that the model's cache stays valid. It changes only for items that
   * are remembered in the session itself, and by `reload`.
   *
   * @param load loads the background of a session without one.
   * @returns the text, or null, and a promise that resolves when the background is stored. Nobody has to wait for it.
   */
  async sessionBackground(
    sessionId: string,
    shown: ShownBackground | null,
    owner: string,
    settings: InjectSettings,
    load: () => Promise<LoadedBackground>,
  ): Promise<{ readonly text: string | null; readonly kept: Promise<void> }> {
    if (shown === null) {
      const { background, instructions } = await load();
      const kept = this.keep(sessionId, owner, background, instructions);
      return { text: joined(background.text, instructions), kept };
    }
    const kept = Promise.resolve();
    if (settings.mode === 'off') return { text: shown.instructions, kept };
    const { numbers } = shown;
    const found = shown.owner === owner ? shown.items : await itemsByNumber(this.db.statements, owner, numbers);
    const byNumber = new Map(found.map((item) => [item.number, item]));
    const items = numbers.flatMap((number) => byNumber.get(number) ?? []);
    return { text: joined(renderBackground(chooseItems(items, settings.maxChars).chosen), shown.instructions), kept };
  }

  /**
   * Loads the block of a session again.
   *
   * @throws AishError `not_found` if the session does not exist.
   */
  async reload(
    sessionId: string,
    owner: string,
    settings: InjectSettings,
    firstMessage: string | null,
    instructions: string | null = null,
  ): Promise<MemoryBackground> {
    await dropBackground(this.db.statements, sessionId);
    const background = await this.background(owner, settings, firstMessage);
    await this.keep(sessionId, owner, background, instructions);
    return background;
  }

  private async keep(
    sessionId: string,
    owner: string,
    { numbers }: MemoryBackground,
    instructions: string | null,
  ): Promise<void> {
    const isKept = await putBackground(this.db.statements, sessionId, owner, { numbers, instructions });
    if (!isKept) throw new AishError('not_found', `There is no session ${sessionId}`);
  }
}

function joined(...parts: readonly (string | null)[]): string | null {
  const there = parts.filter((part) => part !== null);
  return there.length === 0 ? null : there.join('\n\n');
}

/** The current background for a session: items, and the instructions for the memory documents. */
export interface LoadedBackground {
  readonly background: MemoryBackground;
  readonly instructions: string | null;
}

/**
 * Merges items: first those that match the question, then the newest, for which a share of the space is always
 * reserved.
 */
function merge(
  relevant: readonly MemoryItem[],
  newest: readonly MemoryItem[],
  maxChars: number,
): readonly MemoryItem[] {
  const kept = chooseItems(newest, Math.floor(maxChars * NEWEST_SHARE)).chosen;
  const room = chooseItems(relevant, Math.ceil(maxChars * (1 - NEWEST_SHARE))).chosen;
  return [...new Map([...room, ...kept, ...newest].map((item) => [item.number, item])).values()];
}

function written(
  { kind, content, tags, origin, source, by }: NewItem,
  { number, at }: { readonly number: number; readonly at: Date },
  replaces: number | null,
): MemoryItem {
  return {
    number,
    kind,
    content,
    tags: [...tags],
    origin,
    source,
    by,
    at: at.toISOString(),
    replaces,
    forgottenBy: null,
  };
}

function sourceOf(sessionId: string | undefined): MemoryItem['source'] {
  return sessionId === undefined ? null : { sessionId, turn: null, step: null, excerpt: null, model: null };
}

function parseCursor(cursor: string): { readonly at: Date; readonly number: number } {
  const match = /^(\S{20,30})_(\d{1,10})$/.exec(cursor);
  const at = new Date(match?.[1] ?? '');
  if (match === null || Number.isNaN(at.getTime())) {
    throw new AishError('invalid_body', 'The cursor is not valid. Use the cursor that the last list returned', {
      errors: [{ path: 'cursor', message: 'not from a list' }],
    });
  }
  return { at, number: Number(match[2]) };
}
