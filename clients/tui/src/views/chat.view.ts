import type { Model } from '../model.js';
import type { Line } from '@aish/views/line';
import { feedWindow } from './feed.view.js';
import { layoutOf } from './layout.js';
import { welcome } from './welcome.view.js';

/** What was said, its end at the bottom of the screen. */
export function chatView(model: Model): readonly Line[] {
  const { mainRows } = layoutOf(model);
  const { chat } = model;
  const isEmpty = chat.feed.timeline.entries.length === 0 && chat.outbox.length === 0 && chat.feed.trouble === null;
  if (isEmpty) return chat.session === null ? welcome(mainRows) : [];
  return feedWindow(model, chat.feed).lines;
}
