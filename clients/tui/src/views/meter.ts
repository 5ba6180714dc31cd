import type { Usage } from '@aish/contracts/goals';
import type { Model } from '../model.js';

export interface Meter {
  /** The number of tokens that the model last read and wrote. */
  readonly contextTokens: number | null;
  readonly tokensPerSecond: number | null;
}

/** Returns the use and the speed of the last answer in the session on the screen, if the endpoint reports them. */
export function meterOf(model: Model): Meter {
  const { timeline } = model.view === 'goals' ? model.goalFeed : model.chat.feed;
  const usage = lastUsage(timeline.entries);
  if (usage === null) return { contextTokens: null, tokensPerSecond: null };
  const { promptTokens, completionTokens, completionMs } = usage;
  const hasSpeed = completionTokens !== null && completionMs !== null && completionMs > 0;
  return {
    contextTokens: promptTokens === null ? null : promptTokens + (completionTokens ?? 0),
    tokensPerSecond: hasSpeed ? (completionTokens * 1000) / completionMs : null,
  };
}

function lastUsage(entries: Model['chat']['feed']['timeline']['entries']): Usage | null {
  for (let at = entries.length - 1; at >= 0; at -= 1) {
    const entry = entries[at];
    if ((entry?.type === 'answer' || entry?.type === 'step') && entry.usage !== null) return entry.usage;
  }
  return null;
}
