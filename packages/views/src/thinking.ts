import type { Thinking } from './entries.js';

/** Whether a text that is being written is in the middle of a thought. */
export function endsInThought(text: string): boolean {
  return text.lastIndexOf('<think') > text.lastIndexOf('</think');
}

/** How long the thought has been seen, after more has come; nothing where no clock was read. */
export function thinkingAfter(
  before: Thinking | undefined,
  isThinking: boolean,
  nowMs: number | undefined,
): { readonly thinking?: Thinking } {
  if (!isThinking || nowMs === undefined) return {};
  return { thinking: { fromMs: before?.fromMs ?? nowMs, toMs: nowMs } };
}
