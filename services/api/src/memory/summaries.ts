import type { Broker } from '@aish/broker';
import { presetNamed, type Preset } from '@aish/contracts/config/presets.settings';
import type { Summary } from '@aish/contracts/memory';
import { AishError } from '@aish/contracts/problems';
import type { MemoryCandidates } from '@aish/memory';

/** Asks a model to propose memory items from a session. The proposals wait for a review. */
export class Summaries {
  /** @param usual the preset to ask if the caller names none */
  constructor(
    private readonly candidates: MemoryCandidates,
    private readonly broker: Pick<Broker, 'chat'>,
    private readonly presets: readonly Preset[],
    private readonly usual: Preset,
  ) {}

  /** @throws AishError `invalid_body` if the preset does not exist; the errors of the model */
  of(owner: string, sessionId: string, signal: AbortSignal, name?: string): Promise<Summary> {
    const preset = name === undefined ? this.usual : this.presetOf(name);
    return this.candidates.summarize(owner, sessionId, { broker: this.broker, preset }, signal);
  }

  private presetOf(name: string): Preset {
    try {
      return presetNamed(this.presets, name);
    } catch (cause) {
      const message = cause instanceof AishError ? cause.message : `There is no preset ${name}`;
      throw new AishError('invalid_body', message, { errors: [{ path: 'preset', message }] }, { cause });
    }
  }
}
