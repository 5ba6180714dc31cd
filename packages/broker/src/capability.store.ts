import type { Preset } from '@aish/contracts/config/presets.settings';
import { UNKNOWN_CAPABILITIES, type ModelCapabilities } from '@aish/contracts/models';
import { isAishError } from '@aish/contracts/problems';
import type { Broker } from './broker.port.js';

/** Stores capabilities, so that the next process has them. */
export interface CapabilityRows {
  load(baseUrl: string, model: string): Promise<ModelCapabilities | null>;
  save(baseUrl: string, model: string, capabilities: ModelCapabilities): Promise<void>;
}

/** How long a question waits for the first probe of its endpoint. Then it continues without known capabilities. */
const PATIENCE_MS = 1_500;
/** The time after which a failed probe is repeated. */
const AGAIN_MS = 60_000;
/** The time after a check from which the next question checks again for a swapped model. */
const LOOK_AGAIN_MS = 5_000;
/** How long a question waits for that check. */
const LOOK_PATIENCE_MS = 500;
const NOTES_KEPT = 20;

interface Entry {
  capabilities: ModelCapabilities | null;
  /** The capabilities before the model was swapped; null if it was not. */
  before: ModelCapabilities | null;
  lookedAt: number;
  probing: Promise<ModelCapabilities> | null;
  failedAt: number;
  failure: unknown;
}

/**
 * The capabilities of each preset's model. They are probed at first contact, stored by the identity that the endpoint
 * reports, and corrected by later errors. The next question notices a swapped model. A model that comes back is still
 * known.
 */
export class CapabilityStore {
  private readonly entries = new Map<string, Entry>();
  private readonly stopping = new AbortController();

  /**
   * @param onError called with errors of the storage, which are not fatal.
   * @param takesQuick whether capabilities that were found without asking the model are enough.
   */
  constructor(
    private readonly broker: Pick<Broker, 'capabilities' | 'identity'>,
    private readonly store: CapabilityRows,
    private readonly onError: (error: unknown) => void,
    private readonly lookAgainMs = LOOK_AGAIN_MS,
    private readonly takesQuick = false,
  ) {}

  /**
   * Returns the capabilities of the preset's model. The first call probes them and waits about a second and a half for
   * the result.
   */
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

  /**
   * Returns the stored capabilities of the model that the endpoint serves now, including those from other processes. It
   * never probes.
   */
  known(preset: Preset): Promise<ModelCapabilities | null> {
    return this.kept(preset);
  }

  /**
   * Probes the endpoint again and stores the result.
   *
   * @throws AishError if the endpoint does not answer.
   */
  async probe(preset: Preset): Promise<ModelCapabilities> {
    const entry = this.entry(preset);
    entry.failedAt = 0;
    const capabilities = await this.begin(preset, entry, true);
    if (entry.failedAt !== 0) throw entry.failure;
    return capabilities;
  }

  /** Corrects the capabilities after an observation. */
  async learn(preset: Preset, change: Partial<ModelCapabilities>, note: string): Promise<ModelCapabilities> {
    const entry = this.entry(preset);
    const before = entry.capabilities ?? UNKNOWN_CAPABILITIES;
    const capabilities = { ...before, ...change, notes: [...before.notes, note].slice(-NOTES_KEPT) };
    entry.capabilities = capabilities;
    await this.keep(preset, capabilities);
    return capabilities;
  }

  /** Ends running probes. */
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

  /** Runs at most one probe per endpoint. It never rejects. Without an answer, the capabilities stay unknown. */
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

  /** Whether the endpoint now serves another model. If the endpoint does not answer, the model counts as unchanged. */
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

  /**
   * Returns the identity of the served model. Null also if the endpoint does not answer, because the next request
   * reports the error.
   */
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
    const updated =
      before === null
        ? capabilities
        : { ...capabilities, notes: [...capabilities.notes, swapped(before, capabilities)].slice(-NOTES_KEPT) };
    if (updated !== kept) await this.keep(preset, updated);
    return updated;
  }

  /**
   * Returns the stored capabilities of the served model. If the endpoint does not identify it, these are the
   * capabilities that were stored last for this endpoint.
   */
  private async kept(preset: Preset): Promise<ModelCapabilities | null> {
    const identity = await this.identity(preset, this.stopping.signal);
    const kept = await (identity === null
      ? this.store.load(...keyOf(preset))
      : this.store.load(preset.baseUrl, identity));
    // Capabilities from an earlier version lack the template or the thoughts.
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
    return `${now.model ?? 'the model'} now has a different template: ${template.slice(0, 8)} instead of ${before.template?.slice(0, 8) ?? 'unknown'}`;
  if (before.model === now.model) return `${now.model ?? 'the model'} now has a different context or build`;
  return `the endpoint now serves ${now.model ?? 'another model'} instead of ${before.model ?? 'one without a name'}`;
}
