import type { LiveBody } from './events.js';
import type { ToolCallOptions } from './tools.js';

/** Maximum number of log lines shown per call. More lines would hide everything else. */
const LOG_LINES_MAX = 100;

/** Returns callbacks that send the progress and a limited number of log lines of a tool call to its viewers. */
export function toolCallbacks(
  actionId: string,
  live: (body: LiveBody) => void,
): Required<Pick<ToolCallOptions, 'onProgress' | 'onLog'>> {
  let lines = 0;
  return {
    onProgress: (progress) => live({ type: 'tool.progress', actionId, ...progress }),
    onLog: ({ level, text }) => {
      lines += 1;
      if (lines > LOG_LINES_MAX + 1) return;
      const line = lines > LOG_LINES_MAX ? 'it logged more, which is not shown' : text;
      live({ type: 'tool.log', actionId, level, line });
    },
  };
}
