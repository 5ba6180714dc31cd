import type { Effect, Msg } from '../messages.js';
import type { Model } from '../model.js';
import { initialModel } from '../initial-model.js';
import { update } from '../update.js';
import { KEYS } from '../update/keys/key-table.js';
import { QUIET_MS } from '@aish/views/verdict-line';
import { NOW_MS } from '@aish/client/testing/fixtures';

/** A terminal in the hands of a person: messages go in, the model and the effects so far can be looked at. */
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

  /** Keys with a pause after each, as people give answers. */
  alone(...keys: readonly string[]): this {
    for (const key of keys) this.press(key).wait(QUIET_MS);
    return this;
  }

  /** Keys one after the other at once, or so many milliseconds apart. */
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

  /** The effects since the last look. */
  done(): Effect[] {
    return this.effects.splice(0);
  }
}
