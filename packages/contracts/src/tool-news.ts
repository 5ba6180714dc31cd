import type { LiveBody } from './events.js';
import type { ToolCallOptions } from './tools.js';

/** Log lines of one call that are shown; more would hide the rest. */
const LOG_LINES_MAX = 100;

/** Progress and bounded log lines of a running tool call, as live text for its viewers. */
export function toolNews(
  actionId: string,
  live: (body: LiveBody) => void,
): Required<Pick<ToolCallOptions, 'onProgress' | 'onLog'>> {
  let lines = 0;
  return {
    onProgress: (progress) => live({ type: 'tool.progress', actionId, ...progress }),
    onLog: ({ level, text }) => {
      lines += 1;
      if (lines > LOG_LINES_MAX + 1) return;
      const line = lines > LOG_LINES_MAX ? 'it logs more, which is not shown' : text;
      live({ type: 'tool.log', actionId, level, line });
    },
  };
}
