import type { Model, Update } from '../model.js';
import { textOf } from '@aish/views/line';
import { timelineLines } from '../timeline/timeline.lines.js';
import { withFlash } from './flash.js';

/** Terminals refuse or cut longer texts. */
const MAX_CHARS = 70_000;

/** Copies the model's last answer, its code, or everything on the screen to the clipboard. */
export function copyFrom(model: Model, what: 'answer' | 'code' | 'all'): Update {
  const text = textToCopy(model, what);
  if (text === '') return { model: withFlash(model, 'there is nothing to copy yet'), effects: [] };
  if (text.length > MAX_CHARS) {
    return { model: withFlash(model, 'too long for the clipboard; aish show prints all of it', 'bad'), effects: [] };
  }
  const lines = text.split('\n').length;
  return { model: withFlash(model, `copied ${lines} lines`, 'good'), effects: [{ type: 'copy', text }] };
}

/** Copies the last code block, or else the whole answer. */
export function copyHandy(model: Model): Update {
  return copyFrom(model, textToCopy(model, 'code') === '' ? 'answer' : 'code');
}

function textToCopy(model: Model, what: 'answer' | 'code' | 'all'): string {
  const { timeline } = model.view === 'goals' ? model.goalFeed : model.chat.feed;
  if (what === 'all') {
    return timelineLines(timeline, { width: 200, isUnfolded: true })
      .map((each) => textOf(each).trimEnd())
      .join('\n');
  }
  const answer = timeline.entries.findLast((entry) => entry.type === 'answer' || entry.type === 'step');
  const text = answer !== undefined && 'text' in answer ? answer.text.trim() : '';
  if (what === 'answer') return text;
  return [...text.matchAll(/^```[^\n]*\n([\s\S]*?)^```/gm)].at(-1)?.[1]?.trimEnd() ?? '';
}
