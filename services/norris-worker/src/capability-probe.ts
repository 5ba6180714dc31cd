import { setTimeout as sleep } from 'node:timers/promises';
import { isIdle, type CapabilityStore } from '@aish/broker';
import type { Preset } from '@aish/contracts/config/presets.settings';
import { isAishError } from '@aish/contracts/problems';
import type { Database } from '@aish/database/client';
import { isModelWanted } from '@aish/database/capabilities.repository';
import type { Logger } from '@aish/http';
import { probeDialect } from '@aish/sessions';

/** The longest time for which a probe may use a model. */
const PROBE_MAX_MS = 120_000;
const LOOK_EVERY_MS = 30_000;
/** A probe gives up its model to people within this time. */
const YIELD_MS = 500;
/** The pause after a probe without a result. */
const AGAIN_MS = 3_600_000;

interface Ports {
  readonly db: Database;
  readonly capabilityStore: CapabilityStore;
  readonly presets: readonly Preset[];
  readonly probe: (preset: Preset, signal: AbortSignal) => ReturnType<typeof probeDialect>;
  readonly logger: Logger;
}

/**
 * Probes whether each model acts better with lines or with tools, while nobody needs the model. The result is stored
 * under the model name that the server reports, so a new model is probed again. Servers that report no name are not
 * probed.
 */
export class CapabilityProbe {
  private readonly stopping = new AbortController();
  private working: Promise<void> = Promise.resolve();
  /** The times at which to probe models again that gave no result, by their reported names. */
  private readonly notBefore = new Map<string, number>();

  constructor(private readonly ports: Ports) {}

  start(everyMs = LOOK_EVERY_MS): void {
    this.working = this.keepLooking(everyMs).catch((err: unknown) => {
      if (!this.stopping.signal.aborted) this.ports.logger.warn({ err }, 'could not find out how models act');
    });
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.working;
  }

  private async keepLooking(everyMs: number): Promise<void> {
    for (;;) {
      await sleep(everyMs, undefined, { signal: this.stopping.signal, ref: false });
      await this.round();
    }
  }

  /** Probes each model once. */
  async round(): Promise<void> {
    for (const preset of this.ports.presets) {
      try {
        await this.lookAt(preset);
      } catch (err) {
        if (!isAishError(err))
          this.ports.logger.warn({ err, preset: preset.name }, 'could not find out how a model acts');
      }
    }
  }

  private async lookAt(preset: Preset): Promise<void> {
    const { db, capabilityStore, probe } = this.ports;
    const { signal } = this.stopping;
    if (signal.aborted || (await isModelWanted(db.statements))) return;
    const { identity, actsWith, nativeTools, isQuick = false } = await capabilityStore.of(preset, signal);
    if (typeof identity !== 'string' || actsWith !== undefined || (nativeTools !== true && !isQuick)) return;
    if ((this.notBefore.get(identity) ?? 0) > Date.now() || (await isIdle(preset, signal)) === false) return;
    // Nobody has probed the tool calls of this model yet.
    if (isQuick && (await capabilityStore.probe(preset)).nativeTools !== true) return;
    const people = new AbortController();
    const over = new AbortController();
    const yielding = this.yieldTo(people, over.signal);
    const dialect = await probe(
      preset,
      AbortSignal.any([signal, people.signal, AbortSignal.timeout(PROBE_MAX_MS)]),
    ).finally(() => over.abort());
    await yielding;
    if (dialect !== null) await capabilityStore.learn(preset, { actsWith: dialect }, `it acts best with ${dialect}`);
    else if (!people.signal.aborted) this.notBefore.set(identity, Date.now() + AGAIN_MS);
  }

  /** Aborts `people` as soon as a goal or a chat needs a model. Returns when the probe ends. */
  private async yieldTo(people: AbortController, over: AbortSignal): Promise<void> {
    while (!over.aborted && !people.signal.aborted) {
      if (await isModelWanted(this.ports.db.statements)) people.abort();
      await sleep(YIELD_MS, undefined, { signal: over }).catch(() => undefined);
    }
  }
}
