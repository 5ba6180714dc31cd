import * as z from 'zod';
import { milliseconds } from './setting-types.js';
import { Tools } from './tools.settings.js';

export const Chats = z.object({
  ...Tools.shape,
  CONFIRM_CMD: z
    .enum(['true', 'false'])
    .default('true')
    .transform((text) => text === 'true')
    .describe(
      'Whether aish asks before a chat command (CMD: line) that does more than read; it always asks before destructive ones',
    ),
  CONFIRM_READS: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe('Whether aish also asks before a chat command that only reads'),
  AUTO_CONTINUE: z
    .enum(['true', 'reads', 'false'])
    .default('reads')
    .describe(
      'Whether the output of a chat command goes to the model at once. reads: only if the command only reads and ran without asking; other output goes with your next message',
    ),
  MAX_CHAT_STEPS: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(24)
    .describe(
      'Maximum answers to one message in a chat with trust undoable, in which the model continues on its own after each command; other chats: 8',
    ),
  CHAT_COMMAND_TIMEOUT_MS: milliseconds.default(600_000).describe('Longest time for one command of a chat'),
});
