import type { Effect, Msg } from '../messages.js';
import type { Model } from '../model.js';
import { initialModel } from '../initial-model.js';
import { update } from '../update.js';
import { KEYS } from '../update/keys/key-table.js';
import { QUIET_MS } from '@aish/views/verdict-line';
import { NOW_MS } from '@aish/client/testing/fixtures';

/** Simulates a terminal with a person. It takes messages, and exposes the model and the effects so far. */
export class Play {
  model: Model = initialModel({ server: 'http://x', cols: 80, rows: 24, nowMs: NOW_MS, keys: KEYS });
  private effects: Effect[] = [];
  private quiets: { readonly atMs: number; readonly dueMs: number }[] = [];
  private nowMs = NOW_MS;

  send(...msgs: readonly Msg[]): this {
    for (const msg of msgs) {
      const result = update(this.model, msg, this.nowMs);
      this.model = result.model;
      for (const effect of result.effects) {
        if (effect.type === 'awaitQuiet') this.quiets.push({ atMs: effect.atMs, dueMs: this.nowMs + QUIET_MS });
        else this.effects.push(effect);
      }
    }
    return this;
  }

  press(...keys: readonly string[]): this {
    return this.send(
      ...keys.map((key): Msg => ({ type: 'key', key, text: Array.from(key).length === 1 ? key : null })),
    );
  }

  /** Presses keys with a pause after each, as people do when they answer. */
  alone(...keys: readonly string[]): this {
    for (const key of keys) this.press(key).wait(QUIET_MS);
    return this;
  }

  /** Presses keys in quick succession, or with the given gap in milliseconds. */
  type(text: string, gapMs = 0): this {
    for (const key of Array.from(text)) this.wait(gapMs).press(key);
    return this;
  }

  wait(ms: number): this {
    const untilMs = this.nowMs + ms;
    const due = this.quiets.filter(({ dueMs }) => dueMs <= untilMs);
    this.quiets = this.quiets.filter(({ dueMs }) => dueMs > untilMs);
    for (const { atMs, dueMs } of due) {
      this.nowMs = dueMs;
      this.send({ type: 'quiet', atMs });
    }
    this.nowMs = untilMs;
    return this;
  }

  /** Returns the effects since the last call. */
  done(): Effect[] {
    return this.effects.splice(0);
  }
}
