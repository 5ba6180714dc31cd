import { embed } from '@aish/broker';
import type { Preset } from '@aish/contracts/config/presets.settings';
import { AishError, isAishError } from '@aish/contracts/problems';
import { LockNamespace, withAdvisoryLock } from '@aish/database/advisory-lock';
import type { Database } from '@aish/database/client';
import {
  itemsWithoutVector,
  putVectors,
  vectorsAfter,
  type VectorKind,
} from '@aish/database/memory-vectors.repository';
import { VectorSet, quantised } from '@aish/ranking';

/** The preset that is asked what texts mean; without one of this name nobody is. */
const EMBED_PRESET = 'embed';
const AT_ONCE = 32;
const LOADED_AT_ONCE = 5_000;
const TEXT_MAX_CHARS = 2_000;
const MAKE_TIMEOUT_MS = 60_000;
/** Whoever searches waits so long; then words have to do, and for a while nobody asks again. */
const QUESTION_TIMEOUT_MS = 1_000;
const AWAY_MS = 10_000;
/** People whose vectors stay in memory. */
const OWNERS_KEPT = 20;

interface Loaded {
  readonly set: VectorSet;
  readonly model: string;
  seq: bigint;
}

/** What items mean, as a model for embeddings says: found in other words, and in other languages if the model knows them. */
export class Meaning {
  private readonly loaded = new Map<string, Loaded>();
  private awayUntil = 0;

  constructor(
    private readonly db: Database,
    private readonly preset: Preset,
    private readonly ask: typeof embed,
  ) {}

  /** Numbers of the owner's items that mean nearly what the question does, nearest first; null: the model is away. */
  async nearest(owner: string, question: string, limit: number): Promise<readonly number[] | null> {
    if (Date.now() < this.awayUntil) return null;
    try {
      const signal = AbortSignal.timeout(QUESTION_TIMEOUT_MS);
      const text = question.slice(0, TEXT_MAX_CHARS);
      const { model, vectors } = await this.ask(this.preset, [text], QUESTION_TIMEOUT_MS, signal);
      const vector = quantised(vectors[0] ?? []);
      const { set } = await this.load(owner, { model, dimensions: vector.length });
      return set.nearest(vector, limit).map(({ key }) => key);
    } catch (error) {
      if (!(error instanceof AishError)) throw error;
      this.awayUntil = Date.now() + AWAY_MS;
      return null;
    }
  }

  /** These are forgotten: they take nobody's place any more. */
  leaveOut(owner: string, numbers: readonly number[]): void {
    for (const number of numbers) this.loaded.get(owner)?.set.remove(number);
  }

  /** What is kept of the owner, and what was written since. */
  private async load(owner: string, { model, dimensions }: VectorKind): Promise<Loaded> {
    const known = this.loaded.get(owner);
    const isUsable = known !== undefined && known.model === model && known.set.dimensions === dimensions;
    const loaded: Loaded = isUsable ? known : { set: new VectorSet(dimensions), model, seq: 0n };
    this.loaded.delete(owner);
    this.loaded.set(owner, loaded);
    for (const oldest of this.loaded.keys()) if (this.loaded.size > OWNERS_KEPT) this.loaded.delete(oldest);
    for (;;) {
      const rows = await vectorsAfter(this.db.statements, owner, loaded.seq, LOADED_AT_ONCE);
      for (const row of rows) {
        loaded.seq = row.seq;
        if (row.model !== model || row.dimensions !== dimensions) continue;
        loaded.set.put(row.number, new Int8Array(row.vector));
      }
      if (rows.length < LOADED_AT_ONCE) return loaded;
    }
  }

  /**
   * Asks the model about every item that it has said nothing of, or another one has. One process at a time.
   * @returns how many there were. @throws AishError when the model is away.
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
    const { model, vectors } = await this.ask(this.preset, ['which model is this?'], MAKE_TIMEOUT_MS, signal);
    const kind = { model, dimensions: vectors[0]?.length ?? 0 };
    for (let made = 0; ;) {
      const items = await itemsWithoutVector(this.db.statements, kind, AT_ONCE);
      if (items.length === 0) return made;
      const texts = items.map(({ content }) => content.slice(0, TEXT_MAX_CHARS));
      const found = await this.vectorsOf(texts, kind, signal);
      const rows = items.map(({ owner, number }, n) => ({ owner, number, vector: found[n] ?? new Int8Array(0) }));
      await putVectors(this.db.statements, kind, rows);
      made += rows.length;
    }
  }

  /** A text that the model refuses gets a vector that is near to nothing: it is not asked about again. */
  private async vectorsOf(
    texts: readonly string[],
    { dimensions }: VectorKind,
    signal: AbortSignal,
  ): Promise<Int8Array[]> {
    try {
      const { vectors } = await this.ask(this.preset, texts, MAKE_TIMEOUT_MS, signal);
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
