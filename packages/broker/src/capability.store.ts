import type { Preset } from '@aish/contracts/config/presets.settings';
import { UNKNOWN_CAPABILITIES, type ModelCapabilities } from '@aish/contracts/models';
import { isAishError } from '@aish/contracts/problems';
import type { Broker } from './broker.port.js';

/** Where fits are kept from one process to the next. */
export interface CapabilityRows {
  load(baseUrl: string, model: string): Promise<ModelCapabilities | null>;
  save(baseUrl: string, model: string, capabilities: ModelCapabilities): Promise<void>;
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
  capabilities: ModelCapabilities | null;
  /** What was known before the model was swapped. */
  before: ModelCapabilities | null;
  lookedAt: number;
  probing: Promise<ModelCapabilities> | null;
  failedAt: number;
  failure: unknown;
}

/**
 * What each preset's model can do: probed at first contact, kept under what the endpoint serves, and corrected by what goes
 * wrong later. A model that is swapped is noticed at the next question; one that comes back is known still.
 */
export class CapabilityStore {
  private readonly entries = new Map<string, Entry>();
  private readonly stopping = new AbortController();

  /**
   * @param onError told of what kept a fit from being kept or found; nothing depends on it.
   * @param takesQuick whether what was found out without a question to the model will do.
   */
  constructor(
    private readonly broker: Pick<Broker, 'capabilities' | 'identity'>,
    private readonly store: CapabilityRows,
    private readonly onError: (error: unknown) => void,
    private readonly lookAgainMs = LOOK_AGAIN_MS,
    private readonly takesQuick = false,
  ) {}

  /** What is known of the preset's model. Probes it at first contact; waits for that about a second and a half. */
  async of(preset: Preset, signal: AbortSignal): Promise<ModelCapabilities> {
    const entry = this.entry(preset);
    if (entry.capabilities !== null && !(await this.isSwapped(preset, entry, entry.capabilities)))
      return entry.capabilities;
    if (Date.now() - entry.failedAt < AGAIN_MS) return UNKNOWN_CAPABILITIES;
    const probing = this.begin(preset, entry, false);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<ModelCapabilities>((resolve) => {
      timer = setTimeout(() => resolve(UNKNOWN_CAPABILITIES), PATIENCE_MS);
      signal.addEventListener('abort', () => resolve(UNKNOWN_CAPABILITIES), { once: true });
    });
    try {
      return await Promise.race([probing, patience]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** What the store knows of what the endpoint serves now, other processes included. Probes nothing. */
  known(preset: Preset): Promise<ModelCapabilities | null> {
    return this.kept(preset);
  }

  /** Probes again and keeps the result. @throws AishError when the endpoint does not answer. */
  async probe(preset: Preset): Promise<ModelCapabilities> {
    const entry = this.entry(preset);
    entry.failedAt = 0;
    const capabilities = await this.begin(preset, entry, true);
    if (entry.failedAt !== 0) throw entry.failure;
    return capabilities;
  }

  /** Corrects what is known by what was seen. */
  async learn(preset: Preset, change: Partial<ModelCapabilities>, note: string): Promise<ModelCapabilities> {
    const entry = this.entry(preset);
    const before = entry.capabilities ?? UNKNOWN_CAPABILITIES;
    const capabilities = { ...before, ...change, notes: [...before.notes, note].slice(-NOTES_KEPT) };
    entry.capabilities = capabilities;
    await this.keep(preset, capabilities);
    return capabilities;
  }

  /** Ends probes that are under way. */
  stop(): void {
    this.stopping.abort();
  }

  private entry(preset: Preset): Entry {
    const key = keyOf(preset).join(' ');
    const known = this.entries.get(key);
    if (known !== undefined) return known;
    const entry: Entry = { capabilities: null, before: null, lookedAt: 0, probing: null, failedAt: 0, failure: null };
    this.entries.set(key, entry);
    return entry;
  }

  /** One probe at a time for each endpoint. Never rejects: without an answer nothing is known. */
  private begin(preset: Preset, entry: Entry, ignoreKept: boolean): Promise<ModelCapabilities> {
    entry.probing ??= this.find(preset, ignoreKept, entry.before)
      .then((capabilities) => {
        entry.lookedAt = Date.now();
        entry.before = null;
        return (entry.capabilities = capabilities);
      })
      .catch((error: unknown) => {
        entry.failedAt = Date.now();
        entry.failure = error;
        if (!isAishError(error)) this.onError(error);
        return UNKNOWN_CAPABILITIES;
      })
      .finally(() => (entry.probing = null));
    return entry.probing;
  }

  /** Whether the endpoint serves something else than what is known. One that cannot be asked serves what it did. */
  private async isSwapped(preset: Preset, entry: Entry, capabilities: ModelCapabilities): Promise<boolean> {
    if (
      capabilities.identity === undefined ||
      capabilities.identity === null ||
      Date.now() - entry.lookedAt < this.lookAgainMs
    )
      return false;
    entry.lookedAt = Date.now();
    const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(LOOK_PATIENCE_MS)]);
    const identity = await this.identity(preset, signal);
    if (identity === null) return false;
    if (identity === capabilities.identity) {
      // Another process may have learned more.
      entry.capabilities = (await this.store.load(preset.baseUrl, identity)) ?? capabilities;
      return false;
    }
    entry.before = capabilities;
    entry.capabilities = null;
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

  private async find(
    preset: Preset,
    ignoreKept: boolean,
    before: ModelCapabilities | null,
  ): Promise<ModelCapabilities> {
    const known = ignoreKept ? null : await this.kept(preset);
    const kept = known?.isQuick === true && !this.takesQuick ? null : known;
    const capabilities =
      kept ?? (await this.broker.capabilities(preset, this.stopping.signal, ignoreKept ? true : undefined));
    const told =
      before === null
        ? capabilities
        : { ...capabilities, notes: [...capabilities.notes, swapped(before, capabilities)].slice(-NOTES_KEPT) };
    if (told !== kept) await this.keep(preset, told);
    return told;
  }

  /** Where the endpoint does not say what it serves: of what it served last. */
  private async kept(preset: Preset): Promise<ModelCapabilities | null> {
    const identity = await this.identity(preset, this.stopping.signal);
    const kept = await (identity === null
      ? this.store.load(...keyOf(preset))
      : this.store.load(preset.baseUrl, identity));
    // One of an earlier version says nothing of the template, or of thoughts.
    return kept?.template === undefined || kept.thoughts === undefined ? null : kept;
  }

  private async keep(preset: Preset, capabilities: ModelCapabilities): Promise<void> {
    try {
      await this.store.save(...keyOf(preset), capabilities);
      if (typeof capabilities.identity === 'string')
        await this.store.save(preset.baseUrl, capabilities.identity, capabilities);
    } catch (error) {
      this.onError(error);
    }
  }
}

function keyOf(preset: Preset): [string, string] {
  return [preset.baseUrl, preset.model ?? ''];
}

function swapped(before: ModelCapabilities, now: ModelCapabilities): string {
  const { template } = now;
  if (before.model === now.model && typeof template === 'string' && template !== before.template)
    return `${now.model ?? 'the model'} has another template now: ${template.slice(0, 8)}, before ${before.template?.slice(0, 8) ?? 'unknown'}`;
  if (before.model === now.model) return `${now.model ?? 'the model'} has another context or build now`;
  return `the endpoint serves ${now.model ?? 'another model'} now, before it was ${before.model ?? 'one without a name'}`;
}
