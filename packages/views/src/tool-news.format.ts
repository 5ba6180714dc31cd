import type { LiveBody } from '@aish/contracts/events';
import { oneLine } from './sanitise.js';

/** A tool's progress and log during its call. The server's text is shown as data. */
export type ToolNews = Extract<LiveBody, { type: 'tool.progress' | 'tool.log' }>;

/** Formats `3 of 10: copies films`, or `warning: the disk is nearly full`. */
export function formatNews(news: ToolNews): string {
  if (news.type === 'tool.log') return `${oneLine(news.level)}: ${oneLine(news.line)}`;
  const { progress, total, message } = news;
  const count = total === null ? String(progress) : `${progress} of ${total}`;
  return message === null ? count : `${count}: ${oneLine(message)}`;
}
