import { setImmediate as othersFirst } from 'node:timers/promises';
import { embed } from '@aish/broker';
import type { Preset } from '@aish/contracts/config/presets.settings';
import { AishError, isAishError } from '@aish/contracts/problems';
import { LockNamespace, withAdvisoryLock } from '@aish/database/advisory-lock';
import type { Database } from '@aish/database/client';
import { ITEM_VECTORS, TEXT_VECTORS, type VectorKind, type VectorTable } from '@aish/database/vectors.repository';
import { VectorSet, quantised, type Nearest } from '@aish/ranking';

/** The name of the preset for embeddings. Without this preset there are none. */
const EMBED_PRESET = 'embed';
const AT_ONCE = 32;
const LOADED_AT_ONCE = 5_000;
const TEXT_MAX_CHARS = 2_000;
const MAKE_TIMEOUT_MS = 60_000;
/**
 * How long a search waits for the model. After that it uses words only, and for a while no search contacts the
 * endpoint.
 */
const QUESTION_TIMEOUT_MS = 1_000;
const AWAY_MS = 10_000;
/** Number of shelves whose vectors stay in memory: those of the people who searched last. */
const SHELVES_KEPT = 64;

interface Loaded {
  readonly set: VectorSet;
  readonly model: string;
  seq: bigint;
}

/** The embedding of a question. */
export interface Asked {
  readonly model: string;
  readonly vector: Int8Array;
}

/**
 * Searches by meaning with an embedding model. It finds texts that say the same in other words, and in other languages
 * if the model knows them.
 */
export class Meaning {
  private readonly loaded = new Map<VectorTable, Map<string, Loaded>>();
  private awayUntil = 0;

  constructor(
    private readonly db: Database,
    private readonly preset: Preset,
    private readonly askModel: typeof embed,
  ) {}

  /** Returns the embedding of a question; null if the model is unavailable. */
  async ask(question: string): Promise<Asked | null> {
    if (Date.now() < this.awayUntil) return null;
    try {
      const signal = AbortSignal.timeout(QUESTION_TIMEOUT_MS);
      const text = question.slice(0, TEXT_MAX_CHARS);
      const { model, vectors } = await this.askModel(this.preset, [text], QUESTION_TIMEOUT_MS, signal);
      return { model, vector: quantised(vectors[0] ?? []) };
    } catch (error) {
      if (!(error instanceof AishError)) throw error;
      this.awayUntil = Date.now() + AWAY_MS;
      return null;
    }
  }

  /** Returns the entries of a shelf whose meaning is nearest to the question, nearest first. */
  async near({ model, vector }: Asked, table: VectorTable, shelf: string, limit: number): Promise<Nearest> {
    const { set } = await this.load(table, shelf, { model, dimensions: vector.length });
    return set.nearest(vector, limit, othersFirst);
  }

  /** Removes deleted entries from the vectors in memory, so that they do not take the place of others. */
  leaveOut(table: VectorTable, shelf: string, keys: readonly number[]): void {
    for (const key of keys) this.loaded.get(table)?.get(shelf)?.set.remove(key);
  }

  /** Loads the vectors of a shelf, and those written since the last load. */
  private async load(table: VectorTable, shelf: string, { model, dimensions }: VectorKind): Promise<Loaded> {
    const shelves = this.loaded.get(table) ?? new Map<string, Loaded>();
    this.loaded.set(table, shelves);
    const known = shelves.get(shelf);
    const isUsable = known !== undefined && known.model === model && known.set.dimensions === dimensions;
    const loaded: Loaded = isUsable ? known : { set: new VectorSet(dimensions), model, seq: 0n };
    shelves.delete(shelf);
    shelves.set(shelf, loaded);
    for (const oldest of shelves.keys()) if (shelves.size > SHELVES_KEPT) shelves.delete(oldest);
    for (;;) {
      const rows = await table.after(this.db.statements, shelf, loaded.seq, LOADED_AT_ONCE);
      for (const row of rows) {
        loaded.seq = row.seq;
        if (row.model !== model || row.dimensions !== dimensions) continue;
        loaded.set.put(row.key, new Int8Array(row.vector));
      }
      if (rows.length < LOADED_AT_ONCE) return loaded;
    }
  }

  /**
   * Computes vectors for all texts without a vector of this model. Only one process does this at a time.
   *
   * @returns the number of texts.
   * @throws AishError if the model is unavailable.
   */
  async makeMissing(signal: AbortSignal): Promise<number> {
    try {
      const work = (lockSignal: AbortSignal) => this.make(AbortSignal.any([signal, lockSignal]));
      return await withAdvisoryLock(this.db, LockNamespace.memoryItems, 'vectors', work, { waitMs: 0, signal });
    } catch (error) {
      if (isAishError(error, 'locked')) return 0;
      throw error;
    }
  }

  private async make(signal: AbortSignal): Promise<number> {
    const { model, vectors } = await this.askModel(this.preset, ['which model is this?'], MAKE_TIMEOUT_MS, signal);
    const kind = { model, dimensions: vectors[0]?.length ?? 0 };
    let made = 0;
    for (const table of [ITEM_VECTORS, TEXT_VECTORS]) {
      for (;;) {
        const texts = await table.missing(this.db.statements, kind, AT_ONCE);
        if (texts.length === 0) break;
        const contents = texts.map(({ content }) => content.slice(0, TEXT_MAX_CHARS));
        const found = await this.vectorsOf(contents, kind, signal);
        const rows = texts.map(({ shelf, key }, n) => ({ shelf, key, vector: found[n] ?? new Int8Array(0) }));
        await table.put(this.db.statements, kind, rows);
        made += rows.length;
      }
    }
    return made;
  }

  /**
   * Returns the vectors of texts. A text that the model refuses gets a vector that is near to nothing, so that the
   * model is not asked again.
   */
  private async vectorsOf(
    texts: readonly string[],
    { dimensions }: VectorKind,
    signal: AbortSignal,
  ): Promise<Int8Array[]> {
    try {
      const { vectors } = await this.askModel(this.preset, texts, MAKE_TIMEOUT_MS, signal);
      if (vectors.some(({ length }) => length !== dimensions)) {
        throw new AishError('model_bad_stream', 'The endpoint returns vectors of different lengths');
      }
      return vectors.map((vector) => quantised(vector));
    } catch (error) {
      if (!isAishError(error, 'model_refused', 'model_context_overflow')) throw error;
      if (texts.length === 1) return [new Int8Array(dimensions)];
      const each: Int8Array[] = [];
      for (const text of texts) each.push(...(await this.vectorsOf([text], { model: '', dimensions }, signal)));
      return each;
    }
  }
}

/** Uses the preset `embed`; null if it does not exist, so that the search uses keywords only. */
export function meaningOf(db: Database, presets: readonly Preset[], ask: typeof embed = embed): Meaning | null {
  const preset = presets.find(({ name }) => name === EMBED_PRESET);
  return preset === undefined ? null : new Meaning(db, preset, ask);
}

/** A text that answers the question is usually nearer than the average by this many standard deviations. */
const STANDS_OUT = 5.5;

/**
 * Whether the nearest text probably answers the question. Some text is always the nearest. A person sees all results in
 * any case.
 *
 * @param distance the distance in standard deviations; null if it is unknown.
 */
export function standsOut(distance: number | null): boolean {
  return distance === null || distance >= STANDS_OUT;
}
