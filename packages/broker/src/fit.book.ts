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
const NOTES_KEPT = 20;

interface Entry {
  fit: ModelFit | null;
  probing: Promise<ModelFit> | null;
  failedAt: number;
  failure: unknown;
}

/** What each preset's model can do: probed at first contact, kept, and corrected by what goes wrong later. */
export class FitBook {
  private readonly entries = new Map<string, Entry>();
  private readonly stopping = new AbortController();

  /** @param onError told of what kept a fit from being kept or found; nothing depends on it. */
  constructor(
    private readonly broker: Pick<Broker, 'fit'>,
    private readonly store: FitStore,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** What is known of the preset's model. Probes it at first contact; waits for that about a second and a half. */
  async of(preset: Preset, signal: AbortSignal): Promise<ModelFit> {
    const entry = this.entry(preset);
    if (entry.fit !== null) return entry.fit;
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

  /** What is known without asking anybody but the store. */
  async known(preset: Preset): Promise<ModelFit | null> {
    const entry = this.entry(preset);
    return (entry.fit ??= await this.store.load(...keyOf(preset)));
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
    const entry: Entry = { fit: null, probing: null, failedAt: 0, failure: null };
    this.entries.set(key, entry);
    return entry;
  }

  /** One probe at a time for each endpoint. Never rejects: without an answer nothing is known. */
  private begin(preset: Preset, entry: Entry, anew: boolean): Promise<ModelFit> {
    entry.probing ??= this.find(preset, anew)
      .then((fit) => (entry.fit = fit))
      .catch((error: unknown) => {
        entry.failedAt = Date.now();
        entry.failure = error;
        if (!isAishError(error)) this.onError(error);
        return UNKNOWN_FIT;
      })
      .finally(() => (entry.probing = null));
    return entry.probing;
  }

  private async find(preset: Preset, anew: boolean): Promise<ModelFit> {
    const kept = anew ? null : await this.store.load(...keyOf(preset));
    // One of an earlier version says nothing of sampling.
    if (kept !== null && kept.sampling !== undefined) return kept;
    const fit = await this.broker.fit(preset, this.stopping.signal);
    await this.keep(preset, fit);
    return fit;
  }

  private async keep(preset: Preset, fit: ModelFit): Promise<void> {
    try {
      await this.store.save(...keyOf(preset), fit);
    } catch (error) {
      this.onError(error);
    }
  }
}

function keyOf(preset: Preset): [string, string] {
  return [preset.baseUrl, preset.model ?? ''];
}
