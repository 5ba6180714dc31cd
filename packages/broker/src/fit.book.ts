import type { Preset } from '@aish/contracts/config/presets.settings';
import { UNKNOWN_FIT, type ModelFit } from '@aish/contracts/models';
import { isAishError } from '@aish/contracts/problems';
import type { Broker } from './broker.port.js';

/** Where fits are kept from one process to the next. */
export interface FitStore {
  load(baseUrl: string, model: string): Promise<ModelFit | null>;
  save(baseUrl: string, model: string, fit: ModelFit): Promise<void>;
}

/** How long a question waits for the first probe of its endpoint; then it goes on with what is known: nothing. */
const PATIENCE_MS = 1_500;
/** Without an answer the probe is tried again after this. */
const AGAIN_MS = 60_000;
/** A model that was swapped is noticed by the first question that comes later than this after the last look. */
const LOOK_AGAIN_MS = 5_000;
/** How long a question waits for that look. */
const LOOK_PATIENCE_MS = 500;
const NOTES_KEPT = 20;

interface Entry {
  fit: ModelFit | null;
  /** What was known before the model was swapped. */
  before: ModelFit | null;
  lookedAt: number;
  probing: Promise<ModelFit> | null;
  failedAt: number;
  failure: unknown;
}

/**
 * What each preset's model can do: probed at first contact, kept under what the endpoint serves, and corrected by what goes
 * wrong later. A model that is swapped is noticed at the next question; one that comes back is known still.
 */
export class FitBook {
  private readonly entries = new Map<string, Entry>();
  private readonly stopping = new AbortController();

  /**
   * @param onError told of what kept a fit from being kept or found; nothing depends on it.
   * @param takesQuick whether what was found out without a question to the model will do.
   */
  constructor(
    private readonly broker: Pick<Broker, 'fit' | 'identity'>,
    private readonly store: FitStore,
    private readonly onError: (error: unknown) => void,
    private readonly lookAgainMs = LOOK_AGAIN_MS,
    private readonly takesQuick = false,
  ) {}

  /** What is known of the preset's model. Probes it at first contact; waits for that about a second and a half. */
  async of(preset: Preset, signal: AbortSignal): Promise<ModelFit> {
    const entry = this.entry(preset);
    if (entry.fit !== null && !(await this.isSwapped(preset, entry, entry.fit))) return entry.fit;
    if (Date.now() - entry.failedAt < AGAIN_MS) return UNKNOWN_FIT;
    const probing = this.begin(preset, entry, false);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<ModelFit>((resolve) => {
      timer = setTimeout(() => resolve(UNKNOWN_FIT), PATIENCE_MS);
      signal.addEventListener('abort', () => resolve(UNKNOWN_FIT), { once: true });
    });
    try {
      return await Promise.race([probing, patience]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** What the store knows of what the endpoint serves now, other processes included. Probes nothing. */
  known(preset: Preset): Promise<ModelFit | null> {
    return this.kept(preset);
  }

  /** Probes anew and keeps the result. @throws AishError when the endpoint does not answer. */
  async probe(preset: Preset): Promise<ModelFit> {
    const entry = this.entry(preset);
    entry.failedAt = 0;
    const fit = await this.begin(preset, entry, true);
    if (entry.failedAt !== 0) throw entry.failure;
    return fit;
  }

  /** Corrects what is known by what was seen. */
  async learn(preset: Preset, change: Partial<ModelFit>, note: string): Promise<ModelFit> {
    const entry = this.entry(preset);
    const before = entry.fit ?? UNKNOWN_FIT;
    const fit = { ...before, ...change, notes: [...before.notes, note].slice(-NOTES_KEPT) };
    entry.fit = fit;
    await this.keep(preset, fit);
    return fit;
  }

  /** Ends probes that are under way. */
  stop(): void {
    this.stopping.abort();
  }

  private entry(preset: Preset): Entry {
    const key = keyOf(preset).join(' ');
    const known = this.entries.get(key);
    if (known !== undefined) return known;
    const entry: Entry = { fit: null, before: null, lookedAt: 0, probing: null, failedAt: 0, failure: null };
    this.entries.set(key, entry);
    return entry;
  }

  /** One probe at a time for each endpoint. Never rejects: without an answer nothing is known. */
  private begin(preset: Preset, entry: Entry, anew: boolean): Promise<ModelFit> {
    entry.probing ??= this.find(preset, anew, entry.before)
      .then((fit) => {
        entry.lookedAt = Date.now();
        entry.before = null;
        return (entry.fit = fit);
      })
      .catch((error: unknown) => {
        entry.failedAt = Date.now();
        entry.failure = error;
        if (!isAishError(error)) this.onError(error);
        return UNKNOWN_FIT;
      })
      .finally(() => (entry.probing = null));
    return entry.probing;
  }

  /** Whether the endpoint serves something else than what is known. One that cannot be asked serves what it did. */
  private async isSwapped(preset: Preset, entry: Entry, fit: ModelFit): Promise<boolean> {
    if (fit.identity === undefined || fit.identity === null || Date.now() - entry.lookedAt < this.lookAgainMs)
      return false;
    entry.lookedAt = Date.now();
    const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(LOOK_PATIENCE_MS)]);
    const identity = await this.identity(preset, signal);
    if (identity === null) return false;
    if (identity === fit.identity) {
      // Another process may have learned more.
      entry.fit = (await this.store.load(preset.baseUrl, identity)) ?? fit;
      return false;
    }
    entry.before = fit;
    entry.fit = null;
    entry.failedAt = 0;
    return true;
  }

  /** Null also for an endpoint that does not answer: who asks it next says what is wrong. */
  private async identity(preset: Preset, signal: AbortSignal): Promise<string | null> {
    try {
      return await this.broker.identity(preset, signal);
    } catch (error) {
      if (!isAishError(error)) this.onError(error);
      return null;
    }
  }

  private async find(preset: Preset, anew: boolean, before: ModelFit | null): Promise<ModelFit> {
    const known = anew ? null : await this.kept(preset);
    const kept = known?.isQuick === true && !this.takesQuick ? null : known;
    const fit = kept ?? (await this.broker.fit(preset, this.stopping.signal, anew ? true : undefined));
    const told = before === null ? fit : { ...fit, notes: [...fit.notes, swapped(before, fit)].slice(-NOTES_KEPT) };
    if (told !== kept) await this.keep(preset, told);
    return told;
  }

  /** Where the endpoint does not say what it serves: of what it served last. */
  private async kept(preset: Preset): Promise<ModelFit | null> {
    const identity = await this.identity(preset, this.stopping.signal);
    const kept = await (identity === null
      ? this.store.load(...keyOf(preset))
      : this.store.load(preset.baseUrl, identity));
    // One of an earlier version says nothing of the template, or of thoughts.
    return kept?.template === undefined || kept.thoughts === undefined ? null : kept;
  }

  private async keep(preset: Preset, fit: ModelFit): Promise<void> {
    try {
      await this.store.save(...keyOf(preset), fit);
      if (typeof fit.identity === 'string') await this.store.save(preset.baseUrl, fit.identity, fit);
    } catch (error) {
      this.onError(error);
    }
  }
}

function keyOf(preset: Preset): [string, string] {
  return [preset.baseUrl, preset.model ?? ''];
}

function swapped(before: ModelFit, now: ModelFit): string {
  const { template } = now;
  if (before.model === now.model && typeof template === 'string' && template !== before.template)
    return `${now.model ?? 'the model'} has another template now: ${template.slice(0, 8)}, before ${before.template?.slice(0, 8) ?? 'unknown'}`;
  if (before.model === now.model) return `${now.model ?? 'the model'} has another context or build now`;
  return `the endpoint serves ${now.model ?? 'another model'} now, before it was ${before.model ?? 'one without a name'}`;
}
