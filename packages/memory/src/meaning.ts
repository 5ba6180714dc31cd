import { setImmediate as othersFirst } from 'node:timers/promises';
import { embed } from '@aish/broker';
import type { Preset } from '@aish/contracts/config/presets.settings';
import { AishError, isAishError } from '@aish/contracts/problems';
import { LockNamespace, withAdvisoryLock } from '@aish/database/advisory-lock';
import type { Database } from '@aish/database/client';
import { ITEM_VECTORS, TEXT_VECTORS, type VectorKind, type VectorTable } from '@aish/database/vectors.repository';
import { VectorSet, quantised, type Nearest } from '@aish/ranking';

/** The preset that is asked what texts mean; without one of this name nobody is. */
const EMBED_PRESET = 'embed';
const AT_ONCE = 32;
const LOADED_AT_ONCE = 5_000;
const TEXT_MAX_CHARS = 2_000;
const MAKE_TIMEOUT_MS = 60_000;
/** A search waits this long. Then it uses words only, and for a while no search asks the endpoint again. */
const QUESTION_TIMEOUT_MS = 1_000;
const AWAY_MS = 10_000;
/** Shelves whose vectors stay in memory: of the people who searched last. */
const SHELVES_KEPT = 64;

interface Loaded {
  readonly set: VectorSet;
  readonly model: string;
  seq: bigint;
}

/** A question as the model for embeddings understands it. */
export interface Asked {
  readonly model: string;
  readonly vector: Int8Array;
}

/** What texts mean, as a model for embeddings says: found in other words, and in other languages if the model knows them. */
export class Meaning {
  private readonly loaded = new Map<VectorTable, Map<string, Loaded>>();
  private awayUntil = 0;

  constructor(
    private readonly db: Database,
    private readonly preset: Preset,
    private readonly askModel: typeof embed,
  ) {}

  /** Null: the model is away. */
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

  /** The entries of a shelf whose meaning is nearest to the question, nearest first. */
  async near({ model, vector }: Asked, table: VectorTable, shelf: string, limit: number): Promise<Nearest> {
    const { set } = await this.load(table, shelf, { model, dimensions: vector.length });
    return set.nearest(vector, limit, othersFirst);
  }

  /** These are gone: they take nobody's place any more. */
  leaveOut(table: VectorTable, shelf: string, keys: readonly number[]): void {
    for (const key of keys) this.loaded.get(table)?.get(shelf)?.set.remove(key);
  }

  /** What is kept of a shelf, and what was written since. */
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
   * Asks the model about everything that it has said nothing of, or another one has. One process at a time.
   * @returns how many texts there were. @throws AishError when the model is away.
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

  /** A text that the model refuses gets a vector that is near to nothing: it is not asked about again. */
  private async vectorsOf(
    texts: readonly string[],
    { dimensions }: VectorKind,
    signal: AbortSignal,
  ): Promise<Int8Array[]> {
    try {
      const { vectors } = await this.askModel(this.preset, texts, MAKE_TIMEOUT_MS, signal);
      if (vectors.some(({ length }) => length !== dimensions)) {
        throw new AishError('model_bad_stream', 'The endpoint gives vectors of several lengths');
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

/** By the preset `embed`; null: there is none, and words have to do. */
export function meaningOf(db: Database, presets: readonly Preset[], ask: typeof embed = embed): Meaning | null {
  const preset = presets.find(({ name }) => name === EMBED_PRESET);
  return preset === undefined ? null : new Meaning(db, preset, ask);
}

/** By how many standard deviations a text that answers is nearer than all of them on the whole, as a rule. */
const STANDS_OUT = 5.5;

/**
 * Whether what is nearest probably answers: something comes nearest to any question. A person sees all that was found in
 * any case.
 * @param distance null: nobody can say.
 */
export function standsOut(distance: number | null): boolean {
  return distance === null || distance >= STANDS_OUT;
}
